import type { LogLevel } from "../../../runtime/index.ts";
import { isWantedLevel, mostVerboseLevel } from "../../../runtime/internal.ts";

/** How long the level of a single request is kept, so the next request with the same level changes nothing. */
const PASSING_MS = 60_000;

/** The log levels that clients ask for. */
export class LogLevels {
  readonly #byClient = new Map<string, LogLevel>();
  readonly #onExpired: () => void;
  /** A level that requests of the modern era named. */
  #passing: LogLevel | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onExpired` is called when the level of past requests no longer counts. */
  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  /** The most verbose level asked for; `undefined` if no client asks for one. */
  get level(): LogLevel | undefined {
    return mostVerboseLevel([...this.#byClient.values(), ...(this.#passing ? [this.#passing] : [])]);
  }

  /** Records what a client asks for until it asks for something else. */
  set(client: string, level: LogLevel | undefined): void {
    if (level === undefined) this.#byClient.delete(client);
    else this.#byClient.set(client, level);
  }

  /** Records the level of one request. */
  pass(level: LogLevel): void {
    const before = this.level;
    if (before !== undefined && isWantedLevel(level, before)) {
      if (level === this.#passing) this.#timer?.refresh();
      return;
    }
    this.#passing = level;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#passing = undefined;
      this.#onExpired();
    }, PASSING_MS).unref();
  }
}

import { backoffMs, systemClock } from "../../../core/index.ts";
import { onStreamEnd } from "../../../core/internal.ts";
import { withBody } from "../connect/bounded-fetch.ts";
import { symptomsOf } from "../faults/symptoms.ts";

const MAX_WAIT_MS = 60_000;
/** The server has no such stream, one is already open, or it requires a login: retrying does not help. */
const FINAL_STATUSES: readonly (number | undefined)[] = [401, 403, 404, 405, 409];

export interface NoticeStreamOptions {
  /** Opens the stream again. */
  readonly reopen: () => Promise<void>;
  /** Called when the stream is open again. Notifications sent in the meantime are lost. */
  readonly onReopened: () => void;
  /** Stops following. */
  readonly signal: AbortSignal;
  /** How long the SDK gets to reopen the stream itself. */
  readonly waitMs: number;
}

/**
 * Keeps open the stream on which a legacy HTTP server sends notifications. The SDK opens it but reconnects only twice,
 * silently, so this class reopens it.
 */
export class NoticeStream {
  #following: NoticeStreamOptions | undefined;
  #opened = 0;
  #open = 0;
  /** The stream was requested and is not open. */
  #isDown = false;
  #isReopening = false;

  /** A `fetch` that observes the stream. */
  watch(fetching: typeof fetch): typeof fetch {
    return async (input, init) => {
      if (!asksForStream(init)) return fetching(input, init);
      const response = await fetching(input, init).catch((thrown: unknown) => {
        this.#down();
        throw thrown;
      });
      if (!response.ok || !response.body) {
        if (!FINAL_STATUSES.includes(response.status)) this.#down();
        return response;
      }
      this.#up();
      return withBody(
        response,
        onStreamEnd(response.body, () => this.#ended()),
      );
    };
  }

  /** Keeps the stream open from now on. */
  follow(options: NoticeStreamOptions): void {
    this.#following = options;
    if (this.#isDown) void this.#reopen(options);
  }

  #up(): void {
    this.#opened += 1;
    this.#open += 1;
    this.#isDown = false;
    if (this.#opened > 1) this.#following?.onReopened();
  }

  #ended(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#down();
  }

  #down(): void {
    this.#isDown = this.#open === 0;
    if (this.#following) void this.#reopen(this.#following);
  }

  async #reopen({ reopen, signal, waitMs }: NoticeStreamOptions): Promise<void> {
    if (this.#isReopening) return;
    this.#isReopening = true;
    for (let failures = 0; this.#isDown && !signal.aborted; failures++) {
      await systemClock
        .sleep(backoffMs(failures, { baseMs: waitMs, maxMs: MAX_WAIT_MS }), signal)
        .catch(() => {});
      if (!this.#isDown || signal.aborted) break;
      const status = await reopen().then(
        () => undefined,
        (thrown: unknown) => symptomsOf(thrown).status,
      );
      if (status !== undefined && FINAL_STATUSES.includes(status)) break;
    }
    this.#isReopening = false;
  }
}

function asksForStream(init: RequestInit | undefined): boolean {
  if (init?.method !== "GET") return false;
  return new Headers(init.headers).get("accept")?.includes("text/event-stream") === true;
}

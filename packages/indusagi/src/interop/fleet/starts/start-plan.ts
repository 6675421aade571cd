import type { Clock } from "../../../core/index.ts";
import type { ServerConfig, StartHistory } from "../../contract/index.ts";
import { installedPackage, serverKey } from "../../endpoint/index.ts";
import type { StartSettings } from "./start-options.ts";
import { StartQueue, type StartTicket } from "./start-queue.ts";

export interface StartPlanOptions {
  readonly settings: StartSettings;
  readonly history: StartHistory;
  readonly clock: Clock;
}

export interface PlannedStart {
  readonly isCalled: boolean;
  readonly isRestart: boolean;
  /** See `StartRequest`. */
  readonly after?: Promise<unknown> | undefined;
  /** Called once if the start has to wait. */
  readonly onWait: () => void;
  /** See `StartRequest`. */
  readonly process?: (() => number | undefined) | undefined;
}

/** A place in the queue. */
export interface PlannedTicket extends StartTicket {
  /** True if this start can install a package. */
  readonly installs: boolean;
}

/** When the servers of one fleet start: the queue they share, and what is known about earlier starts. */
export class StartPlan {
  readonly #queue: StartQueue;
  readonly #history: StartHistory;
  /** How long a start must show no sign of work to be mute. */
  readonly muteMs: number;

  constructor({ settings, history, clock }: StartPlanOptions) {
    this.muteMs = settings.muteMs;
    this.#queue = new StartQueue(settings, clock);
    this.#history = history;
  }

  enter(config: ServerConfig, start: PlannedStart): PlannedTicket {
    const installs = this.installs(config);
    const readyMs = this.#history.readyMs(config);
    const ticket = this.#queue.enter({
      ...start,
      lane: config.kind === "stdio" ? "processes" : "http",
      isRequired: config.required === true,
      readyMs,
      isKnownToFail: readyMs === undefined && this.#history.wasTried?.(config) === true,
      installs,
    });
    return { ...ticket, installs: installs !== undefined };
  }

  /** The package that the next start of a server can install: only a server that has never been ready installs one. */
  installs(config: ServerConfig): string | undefined {
    const name = installedPackage(config);
    return name === undefined || this.#history.readyMs(config) !== undefined ? undefined : name;
  }

  recordTry(config: ServerConfig): void {
    this.#history.recordTry?.(config);
  }

  recordReady(config: ServerConfig, readyMs: number): void {
    this.#history.recordReady(config, readyMs);
  }

  recordFailure(config: ServerConfig): void {
    this.#history.recordFailure?.(config);
  }

  recordInterrupted(config: ServerConfig): void {
    this.#history.recordInterrupted?.(config);
  }
}

/** A history of starts that lasts as long as the process. It recognises a server by its command or URL, not by its id. */
export function createStartMemory(): StartHistory {
  const known = new Map<string, number>();
  const tried = new Set<string>();
  return {
    wasTried: (config) => tried.has(serverKey(config)),
    recordTry: (config) => void tried.add(serverKey(config)),
    readyMs: (config) => known.get(serverKey(config)),
    recordReady: (config, readyMs) => void known.set(serverKey(config), readyMs),
  };
}

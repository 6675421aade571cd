import { onAbort } from "../../../core/index.ts";
import type { LogEntry, LogLevel, ProgressNote } from "../../../runtime/index.ts";
import { isWantedLevel } from "../../../runtime/internal.ts";
import type { RequestContext } from "../request/request-context.ts";

/** One request on the wire: carries progress and log entries of a running tool. */
export interface Round {
  /** Calls the listener when the request is cancelled, or its client leaves. Returns a function that removes it. */
  onAbort(listener: (reason: unknown) => void): () => void;
  progress(note: ProgressNote): void;
  log(entry: LogEntry): void;
}

/** Sends them. What cannot be delivered is dropped: the client is gone or does not want it. */
export class RequestRound implements Round {
  readonly #request: RequestContext["mcpReq"];
  readonly #level: () => LogLevel | undefined;

  /** `level`: what the client of a legacy connection has asked for. In the modern era the SDK reads it from the request. */
  constructor({ mcpReq }: RequestContext, level: () => LogLevel | undefined = () => undefined) {
    this.#request = mcpReq;
    this.#level = level;
  }

  onAbort(listener: (reason: unknown) => void): () => void {
    const request = this.#request;
    return request.onAbort ? request.onAbort(listener) : onAbort(request.signal, listener);
  }

  progress(note: ProgressNote): void {
    const progressToken = this.#request._meta?.progressToken;
    if (progressToken === undefined) return;
    const params = { ...note, progressToken };
    this.#request.notify({ method: "notifications/progress", params }).catch(dropped);
  }

  log({ level, data, logger }: LogEntry): void {
    if (!isWantedLevel(level, this.#level())) return;
    this.#request.log(level, data, logger).catch(dropped);
  }
}

function dropped(): void {}

import { giveBackController, takeController } from "../../../core/internal.ts";
import type { LogLevel } from "../../../runtime/index.ts";
import { isWantedLevel } from "../../../runtime/internal.ts";
import type { RpcMessage } from "../../contract/index.ts";
import type { HostConnection } from "../request/host-connection.ts";
import type { RequestContext } from "../request/request-context.ts";
import { type Envelope, levelIn, restOfMeta } from "./modern-clients.ts";
import type { PlainRequest } from "./plain-request.ts";

type Asked = RequestContext["mcpReq"];

/** A request's way to its client while it runs. */
export interface RequestLine {
  /** Sends a message that belongs to the request. Rejects if it cannot be sent. */
  notify(message: RpcMessage, id: string | number): Promise<void>;
}

export interface LaneRequestParts {
  readonly connection: HostConnection;
  readonly line: RequestLine;
  /** What a modern request says about its client. */
  readonly envelope?: Envelope | undefined;
}

/** A request on the lane, in the place of the SDK's context. */
export class LaneRequest implements RequestContext, Asked {
  readonly message: PlainRequest;
  readonly id: string | number;
  readonly method: string;
  readonly _meta: Asked["_meta"];
  readonly envelope: Envelope | undefined;
  readonly inputResponses = undefined;
  readonly takesBytes = true;
  readonly http: RequestContext["http"];
  readonly #connection: HostConnection;
  readonly #line: RequestLine;
  #abort: AbortController | undefined;
  #ended: { readonly reason: unknown } | undefined;
  #listener: ((reason: unknown) => void) | undefined;

  /** `closeSSE` ends the stream of the request; its client can return. */
  constructor(
    message: PlainRequest,
    { connection, line, envelope }: LaneRequestParts,
    closeSSE?: () => void,
  ) {
    this.message = message;
    this.id = message.id;
    this.method = message.method;
    this.envelope = envelope;
    const meta = message.params?._meta;
    this._meta = envelope ? restOfMeta(meta) : meta;
    this.http = closeSSE && { closeSSE };
    this.#connection = connection;
    this.#line = line;
  }

  get mcpReq(): this {
    return this;
  }

  /** Made when it is first needed: only tools use it. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = takeController();
      if (this.#ended) this.#abort.abort(this.#ended.reason);
    }
    return this.#abort.signal;
  }

  /** Whether nobody waits for the answer. */
  get isAborted(): boolean {
    return this.#ended !== undefined;
  }

  /** One listener at a time: the conversation of a modern request, which has a signal of its own for the tool. */
  onAbort(listener: (reason: unknown) => void): () => void {
    if (this.#ended) listener(this.#ended.reason);
    else this.#listener = listener;
    return () => (this.#listener = undefined);
  }

  abort(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = { reason };
    this.#abort?.abort(reason);
    this.#listener?.(reason);
  }

  /** Its work has ended, so it has no more use for its signal. */
  end(): void {
    const abort = this.#abort;
    this.#abort = undefined;
    if (abort) giveBackController(abort);
  }

  /** A request with a state takes the SDK's way. */
  requestState(): undefined {
    return undefined;
  }

  send(
    request: Parameters<Asked["send"]>[0],
    schema: Parameters<Asked["send"]>[1],
    options: Parameters<Asked["send"]>[2],
  ): Promise<unknown> {
    return this.#connection.server.request(request, schema, { ...options, relatedRequestId: this.id });
  }

  notify({ method, params }: Parameters<Asked["notify"]>[0]): Promise<void> {
    return this.#line.notify({ jsonrpc: "2.0", method, ...(params && { params }) }, this.id);
  }

  log(level: LogLevel, data: unknown, logger?: string): Promise<void> {
    const { offersLogging, peer } = this.#connection;
    const wanted = levelIn(this.envelope);
    if (!offersLogging || (peer.era === "modern" && wanted === undefined)) return Promise.resolve();
    if (!isWantedLevel(level, wanted)) return Promise.resolve();
    return this.notify({ method: "notifications/message", params: { level, data, logger } });
  }
}

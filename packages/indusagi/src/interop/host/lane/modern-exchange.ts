import type { ServerResponse } from "node:http";
import { CoreError, onAbort } from "../../../core/index.ts";
import { MAX_TIMER_MS } from "../../../core/internal.ts";
import type { RpcMessage } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import type { Refusal } from "../admit/refusal.ts";
import { type TokenUse, tokenError } from "../stream/end-with-token.ts";
import { ResponseWriter } from "../stream/response-writer.ts";
import { followStalls } from "../stream/slow-client.ts";
import {
  bytesOf,
  EVENT_HEADERS,
  sendJson,
  type WriteOptions,
  writeMessage,
} from "../stream/write-message.ts";
import type { Answer } from "./answer.ts";
import type { LaneLink } from "./lane.ts";
import type { LaneRequest } from "./lane-request.ts";

export interface ModernExchangeOptions {
  readonly outgoing: ServerResponse;
  readonly stalledMs: number;
  readonly keepAliveMs: number;
  /** The token of the request, if it can end. */
  readonly token: TokenUse | undefined;
  /** Lets the SDK answer the request. Resolves to its status and its message. */
  readonly askSdk: (message: RpcMessage) => Promise<{ readonly status: number; readonly message: object }>;
  readonly report: (message: string) => void;
  readonly onEnd: () => void;
}

/** The status of a client that left before its answer. Nobody reads it. */
const CLIENT_GONE = 499;

/**
 * The answer to one modern request over HTTP: one JSON text, or a stream of events if something is sent before it. Ends with its
 * client, with its token, and with the listener.
 */
export class ModernExchange implements LaneLink {
  readonly #options: ModernExchangeOptions;
  readonly #out: ServerResponse;
  #request: LaneRequest | undefined;
  #writer: ResponseWriter | undefined;
  #keepAlive: NodeJS.Timeout | undefined;
  #unfollow: (() => void) | undefined;
  #isOver = false;

  constructor(options: ModernExchangeOptions) {
    this.#options = options;
    this.#out = options.outgoing;
    this.#out.on("close", this.#leave);
  }

  /** Ends the request when its client leaves or its token ends. False if one of them has already. */
  begin(request: LaneRequest): boolean {
    this.#request = request;
    const { token } = this.#options;
    if (token) this.#unfollow = onAbort(token.ended, () => this.#endToken(token));
    if (this.#out.destroyed) this.#leave();
    return !this.#isOver;
  }

  answer({ message, pieces }: Answer): void {
    const status = message.error?.code === RpcCode.MISSING_CAPABILITY ? 400 : 200;
    this.#finish(message, status, { pieces });
  }

  async notify(message: RpcMessage): Promise<void> {
    if (!this.#isOver) this.#event(message, {});
  }

  handOver(message: RpcMessage): void {
    this.#options.askSdk(message).then(
      (answer) => this.#isOver || this.#finish(answer.message, answer.status, {}),
      (thrown: unknown) => {
        this.report(String(thrown));
        this.#leave();
        this.#out.destroy();
      },
    );
  }

  report(message: string): void {
    this.#options.report(message);
  }

  done(): void {}

  /** The listener is closed. */
  close(): void {
    if (this.#isOver) return;
    this.#leave();
    if (this.#writer) this.#writer.end();
    else this.#out.writeHead(CLIENT_GONE).end();
  }

  readonly #leave = (): void => {
    if (this.#isOver) return;
    this.#over();
    this.#request?.abort(new CoreError("disconnected", "Connection closed"));
  };

  /** Nothing more is sent, and nothing is followed. */
  #over(): void {
    this.#isOver = true;
    clearInterval(this.#keepAlive);
    this.#unfollow?.();
    this.#out.off("close", this.#leave);
    this.#options.onEnd();
  }

  #endToken({ ended, isGiven }: TokenUse): void {
    if (this.#isOver) return;
    const refusal = ended.reason as Refusal;
    const error = tokenError(this.#request?.id ?? null, refusal, isGiven);
    const { status, headers } = refusal;
    this.#finish(error, status, {}, headers);
    this.#request?.abort(new CoreError("disconnected", "Connection closed"));
  }

  #finish(message: object, status: number, options: WriteOptions, headers?: Refusal["headers"]): void {
    if (this.#isOver) return;
    if (this.#writer) {
      this.#event(message, options);
      this.#writer.end();
      return this.#over();
    }
    const body = writeMessage(message, options);
    this.#over();
    const { stalledMs } = this.#options;
    sendJson(this.#out, { status, headers, body, bytes: bytesOf(options.pieces), stalledMs });
  }

  #event(message: object, options: WriteOptions): void {
    const text = writeMessage(message, { ...options, before: "event: message\ndata: ", after: "\n\n" });
    this.#stream().write(text);
  }

  /** The answer becomes a stream of events. */
  #stream(): ResponseWriter {
    if (this.#writer) return this.#writer;
    const { stalledMs, keepAliveMs } = this.#options;
    followStalls(this.#out, stalledMs);
    this.#out.writeHead(200, EVENT_HEADERS);
    const writer = new ResponseWriter(this.#out);
    this.#writer = writer;
    if (keepAliveMs >= 1)
      this.#keepAlive = setInterval(
        () => writer.write(": keepalive\n\n"),
        Math.min(keepAliveMs, MAX_TIMER_MS),
      ).unref();
    return writer;
  }
}

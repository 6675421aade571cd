import { settlesWithin } from "../../core/index.ts";
import type { MessageTransport, RpcMessage, SendOptions } from "../contract/index.ts";
import type { AnswerKeeper } from "./lane/kept-result.ts";
import type { LaneTransport } from "./lane/rpc-lane.ts";
import { withIdsAsSent } from "./text-ids.ts";
import type { WireWatch } from "./wire-watch.ts";

/** From this revision on, servers send no requests; they ask questions in the result of a call. */
const FIRST_WITHOUT_REQUESTS = "2026-07-28";

/** Gets each incoming message. Returns true to hide it from the SDK. */
export type Tap = (message: RpcMessage) => boolean;

export interface TapOptions {
  /** Gets each message in both directions. */
  readonly watch?: WireWatch | undefined;
  /** Called for each message that has one of our ids as a string. */
  readonly onTextId?: () => void;
}

/**
 * A transport with a tap. The SDK negotiates and handles rare messages; our calls, listings and questions use the
 * same connection but bypass the SDK and its schemas.
 */
export class TappedTransport implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  readonly post: LaneTransport["post"];
  readonly #inner: MessageTransport & Pick<LaneTransport, "post"> & { keeper?: AnswerKeeper };
  readonly #tap: Tap;
  readonly #watch: WireWatch | undefined;
  #takesRequests = true;
  #starting: Promise<void> | undefined;
  /** What arrived between `startEarly` and `start`. */
  #early:
    | { readonly messages: Parameters<NonNullable<MessageTransport["onmessage"]>>[]; isClosed: boolean }
    | undefined;

  constructor(inner: MessageTransport, tap: Tap, { watch, onTextId }: TapOptions = {}) {
    this.#inner = inner;
    this.#tap = tap;
    this.#watch = watch;
    this.post = this.#inner.post && ((message, sender) => this.#post(message, sender));
    inner.onmessage = (received, extra) => {
      const message = withIdsAsSent(received);
      if (message !== received) onTextId?.();
      watch?.message("received", message);
      if (!this.#takesRequests && message.id !== undefined && message.method !== undefined) return;
      if (this.#tap(message)) return;
      if (this.#early) this.#early.messages.push([message, extra]);
      else this.onmessage?.(message, extra);
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => {
      if (this.#early) this.#early.isClosed = true;
      else this.onclose?.();
    };
    // The SDK recognises a process by these two members, so they exist only if the inner transport has them.
    if ("pid" in inner && "stderr" in inner) Object.assign(this, { pid: undefined, stderr: undefined });
  }

  /**
   * Starts before the SDK calls `start`, so a process boots while the SDK loads. Messages that arrive in the meantime are
   * queued for the SDK. Rejects like `start`.
   */
  startEarly(): Promise<void> {
    this.#early = { messages: [], isClosed: false };
    this.#starting = this.#inner.start();
    return this.#starting;
  }

  async start(): Promise<void> {
    await (this.#starting ?? this.#inner.start());
    const early = this.#early;
    this.#early = undefined;
    for (const [message, extra] of early?.messages ?? []) this.onmessage?.(message, extra);
    if (early?.isClosed) this.onclose?.();
  }

  /** Whether the other end is a process that we start. */
  get isProcess(): boolean {
    return "pid" in this;
  }

  send(message: RpcMessage, options?: SendOptions): Promise<void> {
    this.#watch?.message("sent", message);
    return this.#inner.send(message, options);
  }

  /** Lets a transport that can do so hand over large answers before it parses them. */
  keepFor(keeper: AnswerKeeper): void {
    const watch = this.#watch;
    if (!("keeper" in this.#inner)) return;
    this.#inner.keeper = {
      get isWaiting() {
        return keeper.isWaiting;
      },
      keep: (answer) => {
        if (!keeper.keep(answer)) return false;
        const { id, isError } = answer;
        watch?.message("received", { jsonrpc: "2.0", id, result: { isError } });
        return true;
      },
    };
  }

  #post(...[message, sender]: Parameters<NonNullable<LaneTransport["post"]>>): void {
    this.#watch?.message("sent", message);
    this.#inner.post?.(message, sender);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Ends the session of a legacy HTTP server, which would otherwise keep it. Waits at most one second. */
  async endSession(): Promise<void> {
    const inner = this.#inner as { readonly terminateSession?: () => Promise<void> };
    if (!inner.terminateSession || this.sessionId === undefined) return;
    await settlesWithin(inner.terminateSession(), 1000);
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#takesRequests = version < FIRST_WITHOUT_REQUESTS;
    this.#inner.setProtocolVersion?.(version);
  }
}

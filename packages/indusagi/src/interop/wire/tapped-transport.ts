import { settlesWithin } from "../../core/index.ts";
import type { MessageTransport, RpcMessage, SendOptions } from "../contract/index.ts";

/** Since this revision a server sends no requests: what it wants to know it asks in the result of a call. */
const FIRST_WITHOUT_REQUESTS = "2026-07-28";

/** Looks at every message that comes in; true keeps it from the SDK. */
export type Tap = (message: RpcMessage) => boolean;

/**
 * A transport with a tap: the SDK negotiates and handles what is rare on it, while calls, listings and questions of
 * ours travel past the SDK on the same wire, untouched by its schemas.
 */
export class TappedTransport implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  readonly #inner: MessageTransport;
  readonly #tap: Tap;
  #takesRequests = true;

  constructor(inner: MessageTransport, tap: Tap) {
    this.#inner = inner;
    this.#tap = tap;
    inner.onmessage = (message, extra) => {
      if (!this.#takesRequests && isRequest(message)) return;
      if (!this.#tap(message)) this.onmessage?.(message, extra);
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => this.onclose?.();
    // The SDK tells a process from a network by these two members: there only where the inner transport has them.
    if ("pid" in inner && "stderr" in inner) Object.assign(this, { pid: undefined, stderr: undefined });
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: RpcMessage, options?: SendOptions): Promise<void> {
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** A legacy HTTP server keeps a session until it is told that it may go; one that does not answer must not hold us. */
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

function isRequest({ id, method }: RpcMessage): boolean {
  return id !== undefined && method !== undefined;
}

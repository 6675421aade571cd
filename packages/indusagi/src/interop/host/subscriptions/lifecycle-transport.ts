import type { MessageTransport, RpcMessage, SendOptions } from "../../contract/index.ts";

/** A transport, and two moments of its life that whoever serves on it keeps to itself. */
export class LifecycleTransport implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Settles as `start` does. */
  readonly started: Promise<void>;
  readonly ended: Promise<void>;
  readonly #inner: MessageTransport;
  #tellStarted: (starting: Promise<void>) => void = () => {};
  #tellEnded: () => void = () => {};

  constructor(inner: MessageTransport) {
    this.#inner = inner;
    this.started = new Promise((resolve) => (this.#tellStarted = resolve));
    this.ended = new Promise((resolve) => (this.#tellEnded = resolve));
    inner.onmessage = (message, extra) => this.onmessage?.(message, extra);
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => this.#end();
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    const starting = this.#inner.start();
    this.#tellStarted(starting);
    return starting;
  }

  send(message: RpcMessage, options?: SendOptions): Promise<void> {
    return this.#inner.send(message, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
    this.#end();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  #end(): void {
    this.#tellEnded();
    const { onclose } = this;
    this.onclose = undefined;
    onclose?.();
  }
}

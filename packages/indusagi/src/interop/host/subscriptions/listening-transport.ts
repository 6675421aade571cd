import type { MessageTransport, RpcMessage, SendOptions } from "../../contract/index.ts";
import { type ClientSubscriptions, MAX_WATCHED } from "./client-subscriptions.ts";
import { listenedResources, listenRefusal, watchAll } from "./listened-resources.ts";
import type { ResourceWatchers } from "./resource-watchers.ts";

/**
 * Wraps the transport of a connection. It reports the start and the end of the connection, which the SDK does not
 * expose, and watches the resources of each modern `subscriptions/listen` request, which the SDK serves without calling
 * us, until the request is cancelled or answered or the connection ends.
 */
export class ListeningTransport implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Settles as `start` does. */
  readonly started: Promise<void>;
  readonly ended: Promise<void>;
  readonly #inner: MessageTransport;
  readonly #watches: ResourceWatchers;
  /** By the id of the request that listens. */
  readonly #subscriptions = new Map<unknown, ClientSubscriptions>();
  #isOver = false;
  #resolveStarted: (starting: Promise<void>) => void = () => {};
  #resolveEnded: () => void = () => {};

  constructor(inner: MessageTransport, watches: ResourceWatchers) {
    this.#inner = inner;
    this.#watches = watches;
    this.started = new Promise((resolve) => (this.#resolveStarted = resolve));
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    inner.onmessage = (message, extra) => {
      if (this.#accept(message)) this.onmessage?.(message, extra);
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => this.#end();
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    const starting = this.#inner.start();
    this.#resolveStarted(starting);
    return starting;
  }

  send(message: RpcMessage, options?: SendOptions): Promise<void> {
    if (message.method === undefined && message.id !== undefined) this.#unsubscribe(message.id);
    return this.#inner.send(message, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
    this.#end();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  /** Whether the SDK gets the message. A request for resources that cannot be watched is answered here. */
  #accept(message: RpcMessage): boolean {
    if (message.method === "notifications/cancelled") this.#unsubscribe(message.params?.["requestId"]);
    if (message.method !== "subscriptions/listen" || message.id === undefined || this.#isOver) return true;
    const { id } = message;
    try {
      const list = watchAll(this.#watches, listenedResources(message), MAX_WATCHED - this.#watched());
      this.#unsubscribe(id);
      this.#subscriptions.set(id, list);
      return true;
    } catch (thrown) {
      this.#inner.send(listenRefusal(id, thrown)).catch(() => {});
      return false;
    }
  }

  #watched(): number {
    let count = 0;
    for (const { size } of this.#subscriptions.values()) count += size;
    return count;
  }

  #unsubscribe(id: unknown): void {
    this.#subscriptions.get(id)?.end();
    this.#subscriptions.delete(id);
  }

  #end(): void {
    this.#isOver = true;
    for (const id of this.#subscriptions.keys()) this.#unsubscribe(id);
    this.#resolveEnded();
    const { onclose } = this;
    this.onclose = undefined;
    onclose?.();
  }
}

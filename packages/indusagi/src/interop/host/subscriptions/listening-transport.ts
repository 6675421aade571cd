import type { MessageTransport, RpcMessage, SendOptions } from "../../contract/index.ts";
import { type ClientSubscriptions, MAX_WATCHED } from "./client-subscriptions.ts";
import { LifecycleTransport } from "./lifecycle-transport.ts";
import { listenedResources, listenRefusal, watchAll } from "./listened-resources.ts";
import type { ResourceWatchers } from "./resource-watchers.ts";

/**
 * A connection on which a client of the modern era may listen. The SDK serves that without a word to us, so it is
 * overheard here: what a request wants to hear of is watched until it is cancelled, answered, or nobody is left.
 */
export class ListeningTransport extends LifecycleTransport {
  readonly #watches: ResourceWatchers;
  /** By the id of the request that listens. */
  readonly #lists = new Map<unknown, ClientSubscriptions>();
  #isOver = false;

  constructor(inner: MessageTransport, watches: ResourceWatchers) {
    super(inner);
    this.#watches = watches;
    const deliver = inner.onmessage;
    inner.onmessage = (message, extra) => {
      if (this.#overhear(message)) deliver?.(message, extra);
    };
    void this.ended.then(() => this.#endAll());
  }

  override send(message: RpcMessage, options?: SendOptions): Promise<void> {
    if (message.method === undefined && message.id !== undefined) this.#end(message.id);
    return super.send(message, options);
  }

  /** Whether the message may go on. One that asks for what cannot be watched is answered here. */
  #overhear(message: RpcMessage): boolean {
    if (message.method === "notifications/cancelled") this.#end(message.params?.["requestId"]);
    if (message.method !== "subscriptions/listen" || message.id === undefined || this.#isOver) return true;
    const { id } = message;
    try {
      const list = watchAll(this.#watches, listenedResources(message), MAX_WATCHED - this.#watched());
      this.#end(id);
      this.#lists.set(id, list);
      return true;
    } catch (thrown) {
      super.send(listenRefusal(id, thrown)).catch(() => {});
      return false;
    }
  }

  #watched(): number {
    let count = 0;
    for (const { size } of this.#lists.values()) count += size;
    return count;
  }

  #end(id: unknown): void {
    this.#lists.get(id)?.end();
    this.#lists.delete(id);
  }

  #endAll(): void {
    this.#isOver = true;
    for (const id of this.#lists.keys()) this.#end(id);
  }
}

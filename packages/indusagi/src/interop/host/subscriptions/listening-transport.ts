import {
  type MessageTransport,
  MetaKey,
  type ResourceProvider,
  type RpcMessage,
  type SendOptions,
} from "../../contract/index.ts";
import type { Answer } from "../lane/answer.ts";
import { type Introduced, introducedIn } from "../request/host-peer.ts";
import type { Piece } from "../stream/response-writer.ts";
import { MAX_WATCHED } from "./client-subscriptions.ts";
import { type ListenWatch, listenedResources, listenRefusal, watchAll } from "./listened-resources.ts";
import { ACKNOWLEDGED, type TaskPush } from "./listened-tasks.ts";
import type { ResourceWatchers } from "./resource-watchers.ts";

export interface ListeningTransportOptions {
  readonly watchers: ResourceWatchers;
  /** The attribution key of this connection. */
  readonly key: string;
  /** The resources offered to this client. Called when it first watches one. */
  readonly resources: (introduced: Introduced | undefined) => ResourceProvider | undefined;
  /** The tasks that a request listens to, if any. Throws if it must be refused. */
  readonly tasks: (
    message: RpcMessage,
    introduced: Introduced | undefined,
    signal: AbortSignal,
  ) => TaskPush | undefined;
  /** Called when the client has been sent its first list of tools. */
  readonly onFirstListing?: () => void;
  /** Serves a message without the SDK, if it can. */
  readonly take?: (message: RpcMessage) => boolean;
}

/** A transport that can send a message whose text is known. */
interface TextTransport extends MessageTransport {
  sendText?(pieces: readonly Piece[], done?: () => void): void;
}

interface Listening extends ListenWatch {
  readonly over: AbortController;
  readonly push: TaskPush | undefined;
}

/**
 * Wraps a connection's transport. Reports the start and end of the connection and the first list of tools, which the SDK does
 * not expose. Also watches the resources and tasks of each modern `subscriptions/listen` request, which the SDK serves without calling
 * us, until the request is cancelled or answered or the connection ends.
 */
export class ListeningTransport implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Settles as `start` does. */
  readonly started: Promise<void>;
  readonly ended: Promise<void>;
  readonly #inner: TextTransport;
  readonly #options: ListeningTransportOptions;
  /** By the id of the request that listens. */
  readonly #listening = new Map<unknown, Listening>();
  #introduced: Introduced | undefined;
  /** The id of the first request for the tools; `null` after its answer. */
  #firstListing: string | number | null | undefined;
  #isOver = false;
  #resolveStarted: (starting: Promise<void>) => void = () => {};
  #resolveEnded: () => void = () => {};

  constructor(inner: MessageTransport, options: ListeningTransportOptions) {
    this.#inner = inner;
    this.#options = options;
    this.started = new Promise((resolve) => (this.#resolveStarted = resolve));
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    inner.onmessage = (message, extra) => {
      this.#introduced ??= introducedIn(message);
      if (message.method === "tools/list" && this.#firstListing === undefined)
        this.#firstListing = message.id;
      if (options.take?.(message)) return;
      if (this.#accept(message, extra)) this.onmessage?.(message, extra);
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => this.#end();
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  /** What the client says about itself in its first message that does. */
  get introduced(): Introduced | undefined {
    return this.#introduced;
  }

  start(): Promise<void> {
    const starting = this.#inner.start();
    this.#resolveStarted(starting);
    return starting;
  }

  send(message: RpcMessage, options?: SendOptions): Promise<void> {
    const isAnswer = message.method === undefined && message.id !== undefined;
    if (isAnswer) this.#unsubscribe(message.id);
    const sent = message.method === ACKNOWLEDGED ? this.#acknowledged(message) : message;
    const sending = this.#inner.send(sent, options);
    if (!isAnswer || message.id !== this.#firstListing) return sending;
    this.#firstListing = null; // A client may reuse the id.
    return sending.finally(() => this.#options.onFirstListing?.());
  }

  /** Sends the answer of a request that the SDK did not get. */
  answer({ message, pieces }: Answer, report: (thrown: unknown) => void): void {
    if (!this.#inner.sendText) return void this.send(message).catch(report);
    const isFirstListing = message.id === this.#firstListing;
    if (isFirstListing) this.#firstListing = null;
    const done = isFirstListing ? () => this.#options.onFirstListing?.() : undefined;
    this.#inner.sendText(pieces ?? [JSON.stringify(message)], done);
  }

  async close(): Promise<void> {
    await this.#inner.close();
    this.#end();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  /** Whether the SDK gets the message now. A request for resources that cannot be watched is answered here. */
  #accept(message: RpcMessage, extra: unknown): boolean {
    if (message.method === "notifications/cancelled") this.#unsubscribe(message.params?.["requestId"]);
    if (message.method !== "subscriptions/listen" || message.id === undefined || this.#isOver) return true;
    const { id } = message;
    const over = new AbortController();
    try {
      const push = this.#options.tasks(message, this.#introduced, over.signal);
      const { list, ready } = this.#watch(message, over.signal);
      this.#unsubscribe(id);
      const listening = { list, ready, over, push };
      this.#listening.set(id, listening);
      if (!ready) return true;
      const isWanted = (): boolean => this.#listening.get(id) === listening;
      ready.then(
        () => isWanted() && this.onmessage?.(message, extra),
        (thrown: unknown) => isWanted() && this.#refuse(id, thrown),
      );
    } catch (thrown) {
      this.#refuse(id, thrown);
    }
    return false;
  }

  #watch(message: RpcMessage, signal: AbortSignal): ListenWatch {
    const { watchers, key, resources } = this.#options;
    const introduced = this.#introduced;
    const uris = listenedResources(message);
    const provider = uris.length > 0 ? resources(introduced) : undefined;
    const caller = { key, can: {}, ...(introduced && { client: introduced.client }) };
    return watchAll({ watchers, provider, limit: MAX_WATCHED - this.#watched() }, uris, { caller, signal });
  }

  /** The SDK has accepted a subscription; its tasks are ours. */
  #acknowledged(message: RpcMessage): RpcMessage {
    const { [MetaKey.SUBSCRIPTION_ID]: id } = (message.params?.["_meta"] ?? {}) as Record<string, unknown>;
    const push = this.#listening.get(id)?.push;
    const send = (task: RpcMessage): void => void this.#inner.send(task).catch(() => {});
    return push?.acknowledge(message, send) ?? message;
  }

  #refuse(id: string | number, thrown: unknown): void {
    this.#unsubscribe(id);
    this.#inner.send(listenRefusal(id, thrown)).catch(() => {});
  }

  #watched(): number {
    let count = 0;
    for (const { list } of this.#listening.values()) count += list.size;
    return count;
  }

  #unsubscribe(id: unknown): void {
    const listening = this.#listening.get(id);
    this.#listening.delete(id);
    listening?.list.end();
    listening?.push?.end();
    listening?.over.abort();
  }

  #end(): void {
    this.#isOver = true;
    for (const id of [...this.#listening.keys()]) this.#unsubscribe(id);
    this.#resolveEnded();
    const { onclose } = this;
    this.onclose = undefined;
    onclose?.();
  }
}

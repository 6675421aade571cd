import { isRecord } from "../../../core/index.ts";
import { MetaKey, type ProtocolEra, type RpcMessage } from "../../contract/index.ts";
import { RpcCode, RpcFailure, type TappedTransport } from "../../wire/index.ts";
import { type Introduction, readDiscoverResult, readInitializeResult } from "./handshake-answers.ts";

/** A server after the handshake: what it said about itself, and what only the side that shook hands with it can do. */
export interface Peer extends Introduction {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  /** False once the connection has ended. */
  isConnected(): boolean;
  /** Modern era: subscribes to changes of lists. Resolves when the server has acknowledged the subscription. */
  listen(filter: ListFilter): Promise<Subscription>;
  close(): Promise<void>;
}

interface ListFilter {
  readonly [change: `${string}ListChanged`]: boolean;
}

interface Subscription {
  /** Resolves when it has ended. */
  readonly closed: Promise<unknown>;
}

export interface HandshakeOptions {
  /** Who we are. */
  readonly identity: { readonly name: string; readonly version: string };
  readonly transport: TappedTransport;
  /** The capabilities that we announce. */
  readonly capabilities: { readonly [capability: string]: object };
  /** Skip the probe and use this era. */
  readonly era: ProtocolEra | undefined;
  /** How long an unknown server may take to answer the probe. */
  readonly probeMs: number;
  readonly connectMs: number;
  /** Aborts when connecting takes too long. */
  readonly signal: AbortSignal;
  /** Called when the connection has ended. */
  readonly onClosed: () => void;
}

/** The revisions of each era that we speak, the preferred one first. */
const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;
const MODERN_VERSION = "2026-07-28";
/** The server does not speak the revision of a request, and names those that it speaks. */
const UNSUPPORTED_VERSION = -32_022;
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
/** How long a server may take to acknowledge a subscription. */
const ACKNOWLEDGE_MS = 60_000;

/**
 * Shakes hands with a server process: probes its era if that is unknown, then initializes it in the legacy era. Sends the same
 * messages as the SDK's client, and draws the same conclusions, without loading it; with it every start of a server would load
 * the SDK and its schema library, which takes longer than the server itself needs.
 */
export async function shakeHands(options: HandshakeOptions): Promise<Peer> {
  const connection = new HandshakeConnection(options);
  await options.transport.start();
  return (await connection.discover()) ?? (await connection.initialize());
}

/** How a request ended without a result. */
class NoAnswer extends Error {
  readonly because: "closed" | "timeout";

  constructor(because: NoAnswer["because"], message: string) {
    super(message);
    this.because = because;
  }
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Our end of a connection, for everything that is neither a call nor a question: the handshake, subscriptions to lists, and
 * requests of the server. The other messages never arrive here: the tap takes them.
 */
class HandshakeConnection {
  readonly #options: HandshakeOptions;
  readonly #waiting = new Map<string | number, Waiting>();
  readonly #subscriptions = new Map<string, { readonly acknowledge: () => void }>();
  #nextProbe = 1;
  #nextListen = 0;
  /** Before the era is known nothing is answered: in the modern era a client sends no answers. */
  #answersRequests = false;
  #isClosed = false;

  constructor(options: HandshakeOptions) {
    this.#options = options;
    const { transport } = options;
    transport.onmessage = (message) => this.#receive(message);
    transport.onclose = () => this.#close();
  }

  /** Asks for the era. Undefined: it is the legacy one. */
  async discover(): Promise<Peer | undefined> {
    const { era, probeMs } = this.#options;
    if (era === "legacy") return undefined;
    let refusal: RpcFailure | undefined;
    for (;;) {
      const id = `server-discover-probe-${this.#nextProbe++}`;
      const params = { _meta: this.#envelope() };
      try {
        const answer = await this.#request({ id, method: "server/discover", params, timeoutMs: probeMs });
        const found = readDiscoverResult(answer);
        if (!found?.supportedVersions.includes(MODERN_VERSION)) return undefined;
        this.#options.transport.setProtocolVersion(MODERN_VERSION);
        return this.#peer("modern", MODERN_VERSION, found);
      } catch (thrown) {
        if (thrown instanceof NoAnswer && thrown.because === "timeout") return undefined;
        if (!(thrown instanceof RpcFailure)) throw thrown;
        // It speaks the modern era and names our revision: ask once more.
        const supported = modernVersions(thrown);
        if (supported === undefined) return undefined;
        if (refusal || !supported.includes(MODERN_VERSION)) throw thrown;
        refusal = thrown;
      }
    }
  }

  async initialize(): Promise<Peer> {
    const { transport, capabilities, connectMs: timeoutMs } = this.#options;
    this.#answersRequests = true;
    const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities, clientInfo: this.#options.identity };
    const answer = readInitializeResult(
      await this.#request({ id: 0, method: "initialize", params, timeoutMs }),
    );
    if ("problem" in answer) throw new Error(`its answer to initialize is malformed: ${answer.problem}`);
    const { protocolVersion } = answer;
    if (!(LEGACY_VERSIONS as readonly string[]).includes(protocolVersion))
      throw new Error(`it speaks an unknown revision of the protocol: ${protocolVersion}`);
    transport.setProtocolVersion(protocolVersion);
    await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return this.#peer("legacy", protocolVersion, answer);
  }

  #peer(era: ProtocolEra, protocolVersion: string, said: Introduction): Peer {
    const { capabilities, serverInfo, instructions } = said;
    return {
      era,
      protocolVersion,
      capabilities,
      serverInfo,
      instructions,
      isConnected: () => !this.#isClosed,
      listen: (filter) => this.#listen(filter),
      close: () => this.#options.transport.close(),
    };
  }

  /** The request stays open as long as the subscription. Its answer, or its cancellation by the server, ends it. */
  async #listen(filter: ListFilter): Promise<Subscription> {
    const id = `listen:${this.#nextListen++}`;
    const params = { _meta: this.#envelope(), notifications: filter };
    const acknowledged = new Promise<void>((resolve) =>
      this.#subscriptions.set(id, { acknowledge: resolve }),
    );
    const open = this.#request({ id, method: "subscriptions/listen", params });
    const closed = open.then(endOf, endOf).finally(() => this.#subscriptions.delete(id));
    const late = setTimeout(() => this.#giveUp(id), ACKNOWLEDGE_MS).unref();
    try {
      await Promise.race([acknowledged, open.then(tooEarly)]);
    } finally {
      clearTimeout(late);
    }
    return { closed };
  }

  #giveUp(id: string): void {
    this.#waiting.get(id)?.reject(new NoAnswer("timeout", "the subscription was not acknowledged"));
    void this.#options.transport
      .send({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: id, _meta: this.#envelope() },
      })
      .catch(() => {});
  }

  /** In the modern era each request says who we are. */
  #envelope(): object {
    return {
      [MetaKey.PROTOCOL_VERSION]: MODERN_VERSION,
      [MetaKey.CLIENT_INFO]: this.#options.identity,
      [MetaKey.CLIENT_CAPABILITIES]: this.#options.capabilities,
    };
  }

  /** Resolves to the result. Rejects with the server's error, the error of sending, or a `NoAnswer`. */
  async #request(request: {
    readonly id: string | number;
    readonly method: string;
    readonly params: NonNullable<RpcMessage["params"]>;
    readonly timeoutMs?: number;
  }): Promise<unknown> {
    const { id, method, params, timeoutMs } = request;
    if (this.#isClosed) throw closedEarly();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        if (timeoutMs !== undefined)
          timer = setTimeout(() => reject(new NoAnswer("timeout", `it did not answer ${method}`)), timeoutMs);
        this.#options.transport.send({ jsonrpc: "2.0", id, method, params }).catch(reject);
      });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  #receive(message: RpcMessage): void {
    const { id, method } = message;
    if (method === undefined) this.#settle(message);
    else if (id !== undefined) this.#answer(id, message);
    else this.#notice(message);
  }

  #settle({ id, result, error }: RpcMessage): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (isRecord(error)) waiting?.reject(failureOf(error));
    else if (isRecord(result)) waiting?.resolve(result);
    else waiting?.reject(new RpcFailure(RpcCode.INVALID_REQUEST, "it answered without a result"));
  }

  /** Questions never arrive here. Of the other requests we know only the one whether we are alive. */
  #answer(id: string | number, { method, params }: RpcMessage): void {
    if (!this.#answersRequests || (params !== undefined && !isRecord(params))) return;
    const answer: Pick<RpcMessage, "result" | "error"> =
      method === "ping"
        ? { result: {} }
        : { error: { code: RpcCode.METHOD_NOT_FOUND, message: "Method not found" } };
    void this.#options.transport.send({ jsonrpc: "2.0", id, ...answer }).catch(() => {});
  }

  #notice({ method, params }: RpcMessage): void {
    if (method === ACKNOWLEDGED) {
      const meta = params?.["_meta"];
      const id = isRecord(meta) ? meta[SUBSCRIPTION_ID] : undefined;
      if (typeof id === "string") this.#subscriptions.get(id)?.acknowledge();
    } else if (method === "notifications/cancelled") {
      const id = params?.["requestId"];
      if (typeof id === "string" && this.#subscriptions.has(id))
        this.#waiting.get(id)?.reject(new NoAnswer("closed", "the server cancelled the subscription"));
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onClosed();
    for (const { reject } of [...this.#waiting.values()]) reject(closedEarly());
  }
}

function closedEarly(): NoAnswer {
  return new NoAnswer("closed", "it closed the connection");
}

function endOf(): void {}

function tooEarly(): never {
  throw new NoAnswer("closed", "the server ended the subscription instead of acknowledging it");
}

function failureOf(error: {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
}): RpcFailure {
  const { code, message, data } = error;
  return new RpcFailure(
    typeof code === "number" ? code : RpcCode.INTERNAL_ERROR,
    typeof message === "string" ? message : "it answered with an error without a message",
    data,
  );
}

/** The modern revisions that a refusal of ours names. Undefined if it names none: then the server speaks the legacy era. */
function modernVersions({ code, data }: RpcFailure): readonly string[] | undefined {
  const supported = code === UNSUPPORTED_VERSION && isRecord(data) ? data["supported"] : undefined;
  if (!Array.isArray(supported) || !supported.every((version) => typeof version === "string"))
    return undefined;
  const modern = supported.filter((version) => version >= MODERN_VERSION);
  return modern.length > 0 ? modern : undefined;
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { isRecord } from "indusagi/core";
import {
  type ElsewhereRequest,
  ProtocolFault,
  type RpcMessage,
  type SessionsElsewhere,
} from "indusagi/interop";
import type { ResultParts, ResultsElsewhere } from "../gateway/index.ts";
import { subjects } from "./contract.ts";
import type { Exchange } from "./exchange.ts";
import type { NatsLink } from "./link.ts";

/**
 * What only one gateway has, for clients of the others: sessions of the legacy era, and results of which a client got a preview.
 *
 * Sessions of the legacy era stay with the gateway that opened them, and any other gateway forwards their requests to it over a link.
 * The id of a session names its gateway, sealed, so clients can neither read nor choose it. The gateway at the other end sends the
 * request to its own listener, which checks the client's token again. Links carry it because nodes reach each other over NATS anyway:
 * gateways need no address, and a client's token never goes to a process that only has the port of a gateway that ended. What is
 * sent is sealed for one link, so nobody without the key can make, read or repeat such a request.
 */
export interface SessionForwarding extends SessionsElsewhere, ResultsElsewhere, Disposable {
  /** Where this gateway listens. Before that it takes no requests of others. */
  listening(url: string): void;
  /** Takes a message of another gateway. */
  take(message: Msg): void;
}

export interface ForwardingOptions {
  readonly nats: NatsConnection;
  readonly exchange: Exchange;
  /** This gateway. */
  readonly id: string;
  /** The key of all gateways. */
  readonly key: Uint8Array;
  /** Whether a gateway is alive. */
  readonly lives: (gateway: string) => boolean;
  /** Calls the listener with each gateway that has ended. */
  readonly onGone: (listener: (gateway: string) => void) => () => void;
}

interface ForwardRequest {
  readonly from: string;
  readonly link: string;
}

/** `proof`: new for each link; what is sealed for it fits no other. */
interface ForwardReply {
  readonly proof: string;
}

interface OpenedLink {
  readonly link: NatsLink;
  readonly seal: (text: string) => string;
}

/** What passes over a link, as the `method` of a message. */
const Step = {
  REQUEST: "request",
  HEAD: "head",
  DATA: "data",
  TAKEN: "taken",
  END: "end",
  /** Asks for a result, and brings it. */
  RESULT: "result",
} as const;

const ASK_MS = 5_000;
const LINK_BYTES = 16;
/** How much of an answer is under way to a client that reads slowly. */
const WINDOW_BYTES = 1024 * 1024;
const WHO = "another gateway";

/** Headers of one connection, and those that Node sets. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "host",
  "content-length",
  "date",
]);

export function forwardSessions(options: ForwardingOptions): SessionForwarding {
  return new Forwarding(options);
}

class Forwarding implements SessionForwarding {
  readonly #options: ForwardingOptions;
  readonly #ids: Seal;
  readonly #requests: Seal;
  readonly #links = new Map<NatsLink, string>();
  readonly #stop: () => void;
  #listener: URL | undefined;
  #readHere: Parameters<ResultsElsewhere["serve"]>[0] = () => undefined;

  constructor(options: ForwardingOptions) {
    this.#options = options;
    this.#ids = new Seal(options.key, "indus cluster session");
    this.#requests = new Seal(options.key, "indus cluster forward");
    this.#stop = options.onGone((gateway) => {
      for (const [link, peer] of this.#links) if (peer === gateway) link.end(gone());
    });
  }

  listening(url: string): void {
    const listener = new URL(url);
    // All addresses include this one.
    if (listener.hostname === "0.0.0.0") listener.hostname = "127.0.0.1";
    if (listener.hostname === "[::]") listener.hostname = "[::1]";
    this.#listener = listener;
  }

  idFor(id: string): string {
    return `${id}.${this.#ids.seal(this.#options.id, id)}`;
  }

  async answer(id: string, request: ElsewhereRequest): Promise<boolean> {
    const link = await this.#openOwner(id);
    if (!link) return false;
    await this.#relay(link, request);
    return true;
  }

  serve(read: Parameters<ResultsElsewhere["serve"]>[0]): void {
    this.#readHere = read;
  }

  async read<Part extends keyof ResultParts>(
    id: string,
    owner: string,
    part: Part,
  ): Promise<ResultParts[Part] | undefined> {
    const opened = await this.#openOwner(id);
    if (!opened) return undefined;
    const { link, seal } = opened;
    const reading = new Promise<unknown>((resolve) => {
      link.onclose = () => resolve(undefined);
      link.onmessage = ({ params }) => resolve(params?.["kept"]);
      post(link, Step.RESULT, { sealed: seal(JSON.stringify({ id, owner, part })) });
    });
    const kept = (await reading) as ResultParts[Part] | undefined;
    await link.close();
    return kept;
  }

  /** A link to the other gateway that an id names. Undefined if there is none, or it has ended. */
  async #openOwner(id: string): Promise<OpenedLink | undefined> {
    const at = id.lastIndexOf(".");
    const owner = at === -1 ? undefined : this.#ids.open(id.slice(at + 1), id.slice(0, at));
    if (owner === undefined || owner === this.#options.id || !this.#options.lives(owner)) return undefined;
    return this.#open(owner);
  }

  take(message: Msg): void {
    const { from, link: id } = message.json<ForwardRequest>();
    const listener = this.#listener;
    if (!listener || typeof from !== "string" || typeof id !== "string") return;
    const proof = randomBytes(LINK_BYTES).toString("base64url");
    const link = this.#link(id, from);
    serveForwarded(link, {
      listener,
      unseal: (sealed) => this.#requests.open(sealed, [this.#options.id, id, proof].join()),
      read: (...asked) => this.#readHere(...asked),
    });
    void link.start();
    message.respond(JSON.stringify({ proof } satisfies ForwardReply));
  }

  [Symbol.dispose](): void {
    this.#stop();
    for (const link of [...this.#links.keys()]) void link.close();
  }

  #link(id: string, gateway: string): NatsLink {
    const link = this.#options.exchange.link(
      id,
      { role: "gateway", id: gateway },
      { server: WHO, onEnd: () => void this.#links.delete(link) },
    );
    this.#links.set(link, gateway);
    return link;
  }

  /** Undefined if the gateway has ended, or does not answer. */
  async #open(
    owner: string,
  ): Promise<{ readonly link: NatsLink; readonly seal: (text: string) => string } | undefined> {
    const id = randomBytes(LINK_BYTES).toString("base64url");
    const link = this.#link(id, owner);
    try {
      const asked = JSON.stringify({ from: this.#options.id, link: id } satisfies ForwardRequest);
      const answer = await this.#options.nats.request(subjects.forward(owner), asked, { timeout: ASK_MS });
      const { proof } = answer.json<ForwardReply>();
      await link.start();
      return { link, seal: (text) => this.#requests.seal(text, [owner, id, proof].join()) };
    } catch {
      await link.close();
      return undefined;
    }
  }

  /** Resolves when the answer has been written, or its client is gone. */
  #relay({ link, seal }: OpenedLink, { incoming, outgoing, body }: ElsewhereRequest): Promise<void> {
    const { method, url, headers } = incoming;
    return new Promise((resolve) => {
      const end = (): void => {
        if (!outgoing.headersSent) refuseLost(outgoing, method === "POST");
        else if (!outgoing.writableEnded) outgoing.destroy();
        resolve();
      };
      link.onclose = end;
      outgoing.once("close", () => void link.close());
      link.onmessage = ({ method: step, params = {} }) => {
        if (outgoing.destroyed) return;
        if (step === Step.HEAD)
          outgoing
            .writeHead(params["status"] as number, passedOn(params["headers"] as IncomingHttpHeaders))
            .flushHeaders();
        if (step === Step.DATA) {
          const bytes = Buffer.from(params["text"] as string, "latin1");
          outgoing.write(bytes, () => post(link, Step.TAKEN, { bytes: bytes.length }));
        }
        if (step === Step.END) outgoing.end();
      };
      const sent = {
        method,
        url,
        headers: passedOn(headers),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      post(link, Step.REQUEST, { sealed: seal(JSON.stringify(sent)) });
      if (link.isOver) end();
      else if (outgoing.destroyed) void link.close();
    });
  }
}

interface ServedHere {
  readonly listener: URL;
  readonly unseal: (sealed: string) => string | undefined;
  readonly read: Parameters<ResultsElsewhere["serve"]>[0];
}

/** Sends the request that comes over a link to our own listener, and the answer back. */
function serveForwarded(link: NatsLink, { listener, unseal, read }: ServedHere): void {
  let answering: IncomingMessage | undefined;
  let asked: ReturnType<typeof request> | undefined;
  let underWay = 0;
  link.onclose = () => asked?.destroy();
  link.onmessage = ({ method: step, params = {} }) => {
    if (step === Step.TAKEN) {
      underWay -= Number(params["bytes"]);
      if (underWay < WINDOW_BYTES) answering?.resume();
    }
    if ((step !== Step.REQUEST && step !== Step.RESULT) || asked) return;
    const text = unseal(String(params["sealed"]));
    if (text === undefined) return void link.close();
    if (step === Step.RESULT) {
      const { id, owner, part } = JSON.parse(text) as Readonly<Record<"id" | "owner", string>> & {
        readonly part: keyof ResultParts;
      };
      return post(link, Step.RESULT, { kept: read(id, owner, part) });
    }
    const { method, url, headers, body } = JSON.parse(text) as {
      readonly method: string;
      readonly url: string;
      readonly headers: IncomingHttpHeaders;
      readonly body?: string;
    };
    const { hostname, port } = listener;
    asked = request(
      {
        hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
        port,
        method,
        path: url,
        headers: passedOn(headers),
        agent: false,
      },
      (answer) => {
        answering = answer;
        post(link, Step.HEAD, { status: answer.statusCode ?? 500, headers: passedOn(answer.headers) });
        answer.on("data", (bytes: Buffer) => {
          underWay += bytes.length;
          post(link, Step.DATA, { text: bytes.toString("latin1") });
          if (underWay >= WINDOW_BYTES) answer.pause();
        });
        answer.once("end", () => post(link, Step.END, {}));
        answer.once("error", () => void link.close());
      },
    );
    asked.once("error", () => void link.close());
    asked.end(body);
  };
}

function post(link: NatsLink, method: string, params: NonNullable<RpcMessage["params"]>): void {
  if (!link.isOver) link.post({ jsonrpc: "2.0", method, params });
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (!isRecord(headers)) return {};
  const kept = Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name));
  return Object.fromEntries(kept);
}

/** The other gateway has ended before it answered. Its session is lost: the client initializes again. */
function refuseLost(outgoing: ServerResponse, mayHaveRun: boolean): void {
  const why = "the gateway that had this session has ended";
  const message = mayHaveRun ? `${why}; a call in this request may have run` : why;
  outgoing.writeHead(mayHaveRun ? 502 : 404, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_001, message } }));
}

function gone(): ProtocolFault {
  return new ProtocolFault("transport", "the gateway at the other end has ended", { server: WHO });
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/** Seals texts for a purpose. What is sealed opens only in the context that it was sealed for. */
class Seal {
  readonly #key: Buffer;

  constructor(key: Uint8Array, purpose: string) {
    this.#key = Buffer.from(hkdfSync("sha256", key, "", purpose, 32));
  }

  seal(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
  }

  open(sealed: string, context: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([opened, decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }
}

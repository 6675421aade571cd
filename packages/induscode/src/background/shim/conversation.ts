import { readObject } from "../link/index.ts";

type Message = { readonly [member: string]: unknown };
type Id = string | number;

/** Requests that only ask what there is. Asking again changes nothing, so they are asked again instead of failing. */
const LISTS: ReadonlySet<string> = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "server/discover",
]);
/** What makes the remembered answers of lists old. */
const CHANGES: { readonly [method: string]: readonly string[] } = {
  "notifications/tools/list_changed": ["tools/list", "server/discover"],
  "notifications/prompts/list_changed": ["prompts/list"],
  "notifications/resources/list_changed": ["resources/list", "resources/templates/list"],
};
const LISTEN = "subscriptions/listen";
/** Answers of requests that only we sent. */
const OURS = "indus-again-";
/** More than a client asks for in one era. */
const MAX_KEPT = 64;

/** A request of the client that has no answer yet. */
interface Open {
  readonly line: Buffer;
  readonly method: string;
  /** What was asked, if it is a list. */
  readonly list: string | undefined;
  /** Whether it has left this process: then nobody knows whether it ran. */
  isWritten: boolean;
}

/** The end of the conversation that talks to the client, or to what serves it. */
export interface Ends {
  /** Every line has its end. */
  readonly toClient: (line: Buffer) => void;
  /** Writes a line to what serves the client; calls back when it has left this process. */
  readonly toServer: (line: Buffer, onWritten: () => void) => void;
}

/**
 * What a client and the gateway say to each other, as far as it must be known when the gateway is lost: the handshake, what the
 * client subscribed to, the lists it was given and the requests that are open.
 */
export class Conversation {
  readonly #ends: Ends;
  readonly #open = new Map<Id, Open>();
  /** The answers of lists by what was asked. */
  readonly #lists = new Map<string, unknown>();
  /** Requests that were answered from memory while the gateway said nothing: its own answers come too late. */
  readonly #answered = new Set<Id>();
  readonly #subscribed = new Map<string, Message>();
  /** Questions to the client without an answer, by the id that it knows. */
  #questions = new Map<Id, Id>();
  #initialize: { readonly id: Id; readonly line: Buffer; readonly request: Message } | undefined;
  #introduction: unknown;
  #initialized: Buffer | undefined;
  #level: Message | undefined;
  /** How many connections there were before. */
  #generation = 0;
  #isConnected = false;
  #isReplaying = false;
  #replays = 0;

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  /** Whether the client has heard what it talks to. */
  get isIntroduced(): boolean {
    return this.#introduction !== undefined || !this.#initialize;
  }

  /** How many requests have no answer yet. */
  get openRequests(): number {
    return this.#open.size;
  }

  /** A line of the client. */
  fromClient(line: Buffer): void {
    if (line.length <= 1) return;
    const message = readObject(line);
    const { id, method, params } = message ?? {};
    if (!message || typeof method !== "string") return this.#answerOrOther(line, message);
    if (!isId(id)) return this.#notified(line, method, message);
    if (method === "ping" && this.#initialize) return this.#answer(id, {});
    if (method === "initialize") this.#initialize = { id, line, request: message };
    if (method === "logging/setLevel") this.#level = message;
    const { uri } = (params ?? {}) as Message;
    if (method === "resources/subscribe") this.#subscribed.set(String(uri), message);
    if (method === "resources/unsubscribe") this.#subscribed.delete(String(uri));
    const list = LISTS.has(method) ? listKey(message) : undefined;
    if (list !== undefined && !this.#isConnected && this.#lists.has(list))
      return this.#answer(id, this.#lists.get(list));
    const open: Open = { line, method, list, isWritten: false };
    this.#open.set(id, open);
    if (this.#canSend(method)) this.#send(open);
  }

  /** A line of what serves the client. */
  fromServer(line: Buffer): void {
    const large = line.length > LARGE_BYTES ? idOfAnswer(line) : undefined;
    if (large !== undefined && !this.#isNeeded(large)) {
      this.#open.delete(large);
      return this.#ends.toClient(line);
    }
    const message = readObject(line);
    const { id, method } = message ?? {};
    if (!message) return this.#ends.toClient(line);
    if (typeof method === "string") {
      for (const list of CHANGES[method] ?? [])
        for (const key of this.#lists.keys()) if (key.startsWith(`${list} `)) this.#lists.delete(key);
      return this.#ends.toClient(isId(id) ? this.#question(id, line, message) : line);
    }
    if (!isId(id)) return this.#ends.toClient(line);
    if (typeof id === "string" && id.startsWith(OURS)) return this.#replayed(id, message);
    const open = this.#open.get(id);
    const { result } = message;
    if (open?.list !== undefined && result !== undefined) this.#remember(open.list, result);
    if (this.#answered.delete(id)) return;
    this.#open.delete(id);
    if (open?.method === "initialize" && result !== undefined) this.#introduction = result;
    this.#ends.toClient(line);
  }

  /** Whether more of an answer must be known than whose it is. */
  #isNeeded(id: Id): boolean {
    const { list, method } = this.#open.get(id) ?? {};
    return (
      list !== undefined || method === "initialize" || this.#answered.has(id) || String(id).startsWith(OURS)
    );
  }

  /** What serves the client has said nothing for a while. Lists that are known need not wait for it. */
  quiet(): void {
    for (const [id, { list }] of this.#open) {
      if (list === undefined || !this.#lists.has(list)) continue;
      this.#open.delete(id);
      this.#answered.add(id);
      this.#answer(id, this.#lists.get(list));
    }
  }

  /** There is a connection, again or for the first time. Repeats what the other end has to know. */
  connected(): void {
    this.#isConnected = true;
    if (this.#generation++ === 0) return this.#sendOpen();
    const { request } = this.#initialize ?? {};
    // A client that has not heard the answer gets this one.
    if (request && this.#introduction !== undefined) {
      this.#isReplaying = true;
      return this.#again(request, "handshake");
    }
    this.#sendOpen();
  }

  /**
   * The connection is lost. Requests that were written are answered with an error, except those that only ask what there is; all
   * others wait for the next connection.
   */
  lost(why: string): void {
    this.#isConnected = false;
    this.#isReplaying = false;
    this.#answered.clear();
    for (const [id, open] of this.#open) {
      const { list } = open;
      if (list !== undefined && this.#lists.has(list)) {
        this.#open.delete(id);
        this.#answer(id, this.#lists.get(list));
      } else if (list !== undefined || open.method === "initialize" || open.method === LISTEN)
        open.isWritten = false;
      else if (open.isWritten) {
        this.#open.delete(id);
        this.#fail(id, open.method, why);
      }
    }
    const questions = this.#questions;
    this.#questions = new Map();
    for (const id of questions.keys()) {
      const params = { requestId: id, reason: why };
      this.#toClient({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
  }

  #answerOrOther(line: Buffer, message: Message | undefined): void {
    const id = message?.["id"];
    if (!isId(id) || !message) {
      if (this.#isConnected) this.#ends.toServer(line, () => {});
      return;
    }
    const asked = this.#questions.get(id);
    // An answer to a question of a connection that is gone.
    if (asked === undefined || !this.#isConnected) return;
    this.#questions.delete(id);
    this.#ends.toServer(asked === id ? line : bytesOf({ ...message, id: asked }), () => {});
  }

  #notified(line: Buffer, method: string, message: Message): void {
    if (method === "notifications/initialized") this.#initialized = line;
    if (method === "notifications/cancelled") {
      const { requestId } = (message["params"] ?? {}) as Message;
      const open = isId(requestId) ? this.#open.get(requestId) : undefined;
      // It is not sent again, wherever it is on its way.
      if (open && !open.isWritten && isId(requestId)) this.#open.delete(requestId);
    }
    if (this.#isConnected && !this.#isReplaying) this.#ends.toServer(line, () => {});
  }

  /** Ids of questions start anew with each connection, and a client may still answer an old one. */
  #question(id: Id, line: Buffer, message: Message): Buffer {
    if (this.#generation <= 1) {
      this.#questions.set(id, id);
      return line;
    }
    const own = `indus-${this.#generation}-${String(id)}-${typeof id}`;
    this.#questions.set(own, id);
    return bytesOf({ ...message, id: own });
  }

  #remember(key: string, result: unknown): void {
    const [oldest] = this.#lists.keys();
    if (this.#lists.size >= MAX_KEPT && oldest !== undefined) this.#lists.delete(oldest);
    this.#lists.set(key, result);
  }

  #canSend(method: string): boolean {
    return this.#isConnected && (!this.#isReplaying || method === "initialize");
  }

  #send(open: Open): void {
    this.#ends.toServer(open.line, () => (open.isWritten = true));
  }

  #sendOpen(): void {
    for (const open of this.#open.values()) if (!open.isWritten) this.#send(open);
  }

  /** Sends a request of the client once more, for ourselves. */
  #again(request: Message, name: string): void {
    this.#ends.toServer(bytesOf({ ...request, id: `${OURS}${name}-${++this.#replays}` }), () => {});
  }

  #replayed(id: string, message: Message): void {
    if (!id.startsWith(`${OURS}handshake`)) return;
    if (message["result"] !== undefined) this.#introduction = message["result"];
    this.#isReplaying = false;
    if (this.#initialized) this.#ends.toServer(this.#initialized, () => {});
    if (this.#level) this.#again(this.#level, "level");
    for (const request of this.#subscribed.values()) this.#again(request, "subscription");
    this.#sendOpen();
    // Its lists may be others now.
    for (const method of Object.keys(CHANGES))
      if (announces(this.#introduction, method)) this.#toClient({ jsonrpc: "2.0", method });
    for (const uri of this.#subscribed.keys())
      this.#toClient({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
  }

  #answer(id: Id, result: unknown): void {
    this.#toClient({ jsonrpc: "2.0", id, result });
  }

  #fail(id: Id, method: string, why: string): void {
    const mayHaveRun =
      method === "tools/call" ? "; it may have run, so check before you call it again" : "; ask again";
    const data = { retrySafe: method !== "tools/call" };
    this.#toClient({ jsonrpc: "2.0", id, error: { code: LOST, message: `${why}${mayHaveRun}`, data } });
  }

  #toClient(message: Message): void {
    this.#ends.toClient(bytesOf(message));
  }
}

/** JSON-RPC leaves these codes to servers; others of this program mean the same by it. */
const LOST = -32_000;

function isId(id: unknown): id is Id {
  return typeof id === "string" || typeof id === "number";
}

function bytesOf(message: Message): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

/** A large answer is not parsed only to learn whose it is. */
const LARGE_BYTES = 16 * 1024;
const MAX_END_BYTES = 160;
/** How our answers end. The last brace closes the message, and no quote within a text is written without a backslash. */
const END_OF_ANSWER = /,"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{0,100}")\}\n$/;

function idOfAnswer(line: Buffer): Id | undefined {
  if (line.toString("latin1", 0, START_OF_ANSWER.length) !== START_OF_ANSWER) return undefined;
  const [, id] = END_OF_ANSWER.exec(line.toString("latin1", line.length - MAX_END_BYTES)) ?? [];
  return id === undefined ? undefined : (JSON.parse(id) as Id);
}

const START_OF_ANSWER = '{"result":';

/** What a list depends on: its parameters and, in the modern era, what the client declares with each request. */
function listKey({ method, params = {} }: Message): string {
  const { _meta: meta = {}, ...rest } = params as Message;
  const declared = Object.entries(meta as Message).filter(([name]) =>
    name.startsWith("io.modelcontextprotocol/"),
  );
  return `${String(method)} ${JSON.stringify([rest, declared.toSorted(([a], [b]) => (a < b ? -1 : 1))])}`;
}

/** Whether the server said that it reports changes of this kind. */
function announces(introduction: unknown, method: string): boolean {
  const kind = method.split("/")[1] ?? "";
  const { capabilities = {} } = (introduction ?? {}) as { readonly capabilities?: Message };
  return ((capabilities[kind] ?? {}) as Message)["listChanged"] === true;
}

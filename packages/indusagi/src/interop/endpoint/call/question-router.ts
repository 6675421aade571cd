import { CoreError, describeError, joinSignals } from "../../../core/index.ts";
import { InFlight } from "../../../core/internal.ts";
import type { Caller, QuestionMethod } from "../../../runtime/index.ts";
import { relatedTask } from "../../content/index.ts";
import {
  type Audience,
  isProtocolFault,
  type QuestionAnswerer,
  type QuestionAsker,
  type RpcMessage,
} from "../../contract/index.ts";
import { idAsSent, RpcCode } from "../../wire/index.ts";

const METHODS: ReadonlySet<string> = new Set<QuestionMethod>([
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
]);

const CANCELLED = "notifications/cancelled";

/** A call in progress. `caller` is `undefined` for our own code. */
export interface ActiveCall {
  readonly caller: Caller | undefined;
  readonly signal: AbortSignal | undefined;
  /** The task whose result it waits for. The questions of a task name it, so this call gets those and no others. */
  readonly task?: unknown;
}

export interface QuestionRouterOptions {
  /** Answers questions for calls that have no caller. */
  readonly answers?: QuestionAnswerer | undefined;
  /** The server, and the client that owns this connection, if any. */
  readonly asker: QuestionAsker;
  readonly reply: (message: RpcMessage) => void;
  /** Records why a question was declined. */
  readonly note: (message: string) => void;
}

/** How long after a cancellation messages of the server may still be about the cancelled call. */
const CANCELLED_MS = 1_000;
/** How long a server may keep working on such a call: most do not answer it, so its end is unknown. */
const ABANDONED_MS = 30_000;

interface AbandonedCall extends ActiveCall {
  readonly sinceMs: number;
}

/**
 * Routes the questions of a legacy server. One that names a task goes to the caller that waits for it. Any other names no
 * call, so it goes to a caller only if all calls in progress on this connection belong to that caller. Otherwise it is
 * declined: another caller must not see it. A client's call that ended without an answer counts for a while longer, because
 * the server may not have noticed: first for every other client, then only for other users.
 */
export class QuestionRouter {
  readonly #options: QuestionRouterOptions;
  readonly #active = new InFlight<number, ActiveCall>();
  #entered = 0;
  /** Those that wait for the result of a task, by its id. */
  readonly #waiting = new Map<unknown, ActiveCall>();
  readonly #abandoned = new Set<AbandonedCall>();
  /** Open questions, by id. */
  readonly #asking = new Map<unknown, AbortController>();
  /** Who has used this connection: at most two keys, as more make no difference. */
  readonly #users = new Set<string>();

  constructor(options: QuestionRouterOptions) {
    this.#options = options;
  }

  get asker(): QuestionAsker {
    return this.#options.asker;
  }

  /** Registers a call. Call `leave` with it and the number that it gets here when it has ended. */
  enter(call: ActiveCall): number {
    this.#entered += 1;
    if (call.caller && this.#users.size < 2) this.#users.add(call.caller.key);
    if (call.task === undefined) this.#active.set(this.#entered, call);
    else this.#waiting.set(call.task, call);
    return this.#entered;
  }

  /** A call has ended, with or without an answer from the server. */
  leave(call: ActiveCall, entered: number, isAnswered: boolean): void {
    if (call.task !== undefined) {
      if (this.#waiting.get(call.task) === call) this.#waiting.delete(call.task);
      return;
    }
    this.#active.delete(entered);
    // A call of our own code has no client, so messages about it reveal nothing about other clients.
    if (isAnswered || !call.caller) return;
    const abandoned = { caller: call.caller, signal: call.signal, sinceMs: performance.now() };
    this.#abandoned.add(abandoned);
    setTimeout(() => this.#abandoned.delete(abandoned), ABANDONED_MS).unref();
  }

  /** The caller of all calls in progress, if there is one such caller. */
  onlyCaller(): Caller | undefined {
    const [first] = this.#active.values();
    return this.#hasOneCaller() ? first?.caller : undefined;
  }

  #hasOneCaller(): boolean {
    const [first, ...others] = this.#active.values();
    if (!others.every(({ caller }) => isSameClient(caller, first?.caller))) return false;
    for (const { caller, sinceMs } of this.#abandoned) {
      const isSame = performance.now() - sinceMs < CANCELLED_MS ? isSameClient : isSameUser;
      if (!isSame(caller, first?.caller)) return false;
    }
    return true;
  }

  /** Who may see messages of the server when it is unknown whom they are for. */
  audience(): Audience {
    const { owner } = this.#options.asker;
    if (owner !== undefined) return { kind: "client", key: owner };
    const [only, ...others] = this.#users;
    if (only === undefined) return { kind: "all" };
    return others.length > 0 ? { kind: "none" } : { kind: "client", key: only };
  }

  /** Handles a question, and aborts one that the server withdraws. False if the message is not a question. */
  accept(message: RpcMessage): boolean {
    const { id, method, params } = message;
    if (method === CANCELLED) this.#asked(params?.["requestId"])?.abort(withdrawnQuestion());
    if (id === undefined || method === undefined || !METHODS.has(method)) return false;
    const withdrawn = new AbortController();
    this.#asking.set(id, withdrawn);
    void this.#answer(method as QuestionMethod, params, withdrawn.signal).then((answer) => {
      this.#asking.delete(id);
      // A withdrawn question needs no answer.
      if (!withdrawn.signal.aborted) this.#options.reply({ jsonrpc: "2.0", id, ...answer });
    });
    return true;
  }

  /** The question with this id, or with the number that this string represents. */
  #asked(id: unknown): AbortController | undefined {
    return this.#asking.get(id) ?? this.#asking.get(idAsSent(id));
  }

  async #answer(
    method: QuestionMethod,
    params: RpcMessage["params"],
    withdrawn: AbortSignal,
  ): Promise<Pick<RpcMessage, "result" | "error">> {
    const asked = this.#whoToAsk(relatedTask(params));
    if ("declined" in asked) {
      this.#options.note(`${method} was declined: ${asked.declined}`);
      return decline(method, asked.declined);
    }
    try {
      const question = params ? { method, params } : { method };
      const answers = await asked.ask({ question }, joinSignals(asked.signal, withdrawn));
      return { result: answers["question"] ?? {} };
    } catch (thrown) {
      return decline(method, describeError(thrown));
    }
  }

  #whoToAsk(
    task: string | undefined,
  ): { ask: QuestionAnswerer["ask"]; signal?: AbortSignal } | { declined: string } {
    if (task === undefined && !this.#hasOneCaller())
      return { declined: "calls of more than one caller are in progress" };
    const [first] = this.#active.values();
    const call = task === undefined ? first : this.#waiting.get(task);
    const { answers, asker } = this.#options;
    const ask: QuestionAnswerer["ask"] | undefined = call?.caller
      ? call.caller.ask?.bind(call.caller)
      : answers && ((requests, signal) => answers.ask(requests, signal, asker));
    if (!ask) return { declined: "no caller can answer" };
    return call?.signal ? { ask, signal: call.signal } : { ask };
  }
}

/** An error from the server is an answer; after a cancellation or a deadline the server may still be working. */
export function isAnswer(thrown: unknown): boolean {
  return isProtocolFault(thrown) && thrown.rpc !== undefined;
}

/**
 * Whether two calls come from the same client. Clients without a session share the key of their principal, so they can
 * continue what they started, but a principal may have many clients.
 */
function isSameClient(one: Caller | undefined, other: Caller | undefined): boolean {
  if (one === other) return true;
  return one?.key === other?.key && one?.key !== one?.principal;
}

/** Whether two calls can come from the same user: one session or principal, or one program on a listener without tokens. */
function isSameUser(one: Caller | undefined, other: Caller | undefined): boolean {
  if (one?.key === other?.key) return true;
  if (!one?.isSingle || !other?.isSingle) return false;
  return one.client?.name === other.client?.name && one.client?.version === other.client?.version;
}

function withdrawnQuestion(): CoreError<"withdrawn"> {
  return new CoreError("withdrawn", "the server has withdrawn its question");
}

/** A form can be declined with a result; other questions only with an error. */
function decline(method: QuestionMethod, why: string): Pick<RpcMessage, "result" | "error"> {
  if (method === "elicitation/create") return { result: { action: "decline" } };
  return { error: { code: RpcCode.USER_DECLINED, message: why } };
}

import { describeError } from "../../../core/index.ts";
import type { Caller, QuestionMethod } from "../../../runtime/index.ts";
import type { QuestionAnswerer, RpcMessage } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";

const METHODS: ReadonlySet<string> = new Set<QuestionMethod>([
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
]);

/** A call under way, by the one who stands behind it. `undefined` is our own code. */
export interface CallUnderWay {
  readonly caller: Caller | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface QuestionDeskOptions {
  /** Answers on behalf of calls nobody stands behind. */
  readonly answers?: QuestionAnswerer;
  readonly reply: (message: RpcMessage) => void;
  /** Puts on record why a question was turned down. */
  readonly note: (message: string) => void;
}

/**
 * Where the questions of a legacy server go. Such a question names no call, so it is put to a caller only when
 * everything under way on this connection belongs to that one caller; otherwise it is declined, because giving one
 * caller's question to another would show a stranger what is not theirs.
 */
export class QuestionRouter {
  readonly #options: QuestionDeskOptions;
  readonly #underWay = new Set<CallUnderWay>();

  constructor(options: QuestionDeskOptions) {
    this.#options = options;
  }

  /** Registers a call; the returned function takes it away again. */
  enter(call: CallUnderWay): () => void {
    this.#underWay.add(call);
    return () => void this.#underWay.delete(call);
  }

  /** Takes a question; false when the message is none. */
  accept(message: RpcMessage): boolean {
    const { id, method } = message;
    if (id === undefined || method === undefined || !METHODS.has(method)) return false;
    void this.#answer(method as QuestionMethod, message).then((answer) =>
      this.#options.reply({ jsonrpc: "2.0", id, ...answer }),
    );
    return true;
  }

  async #answer(
    method: QuestionMethod,
    { params }: RpcMessage,
  ): Promise<Pick<RpcMessage, "result" | "error">> {
    const asked = this.#whoToAsk();
    if ("declined" in asked) {
      this.#options.note(`${method} was declined: ${asked.declined}`);
      return decline(method, asked.declined);
    }
    try {
      const question = params ? { method, params } : { method };
      const answers = await asked.ask({ question }, asked.signal);
      return { result: answers["question"] ?? {} };
    } catch (thrown) {
      return decline(method, describeError(thrown));
    }
  }

  #whoToAsk(): { ask: QuestionAnswerer["ask"]; signal?: AbortSignal } | { declined: string } {
    const calls = [...this.#underWay];
    const keys = new Set(calls.map((call) => call.caller?.key));
    if (keys.size > 1) return { declined: "calls of more than one caller are under way" };
    const [call] = calls;
    const ask = call?.caller
      ? call.caller.ask?.bind(call.caller)
      : this.#options.answers?.ask.bind(this.#options.answers);
    if (!ask) return { declined: "nobody is there to answer" };
    return call?.signal ? { ask, signal: call.signal } : { ask };
  }
}

/** Declining a form is an answer; declining anything else is an error. */
function decline(method: QuestionMethod, why: string): Pick<RpcMessage, "result" | "error"> {
  if (method === "elicitation/create") return { result: { action: "decline" } };
  return { error: { code: RpcCode.USER_DECLINED, message: why } };
}

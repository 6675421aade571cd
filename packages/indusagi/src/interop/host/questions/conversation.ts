import { CoreError, onAbort } from "../../../core/index.ts";
import type { Answers, Questions } from "../../../runtime/index.ts";
import type { RawResult } from "../../contract/index.ts";
import type { Round } from "./round.ts";

/** What a round ends with: the result, or questions that the client must answer in another round. */
export type RoundResult = { readonly result: RawResult } | { readonly questions: Questions };

type End = { readonly turn: RoundResult } | { readonly thrown: unknown };

interface OpenQuestions {
  readonly requests: Questions;
  /** By key: a map, because a key may be a name that means something else in an object. */
  readonly answers: Map<string, unknown>;
  readonly resolve: (answers: Answers) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A request of the modern era that outlives its message. A tool asks something in the middle of its work; the client
 * can only be asked by ending the request; so the work waits here until the client comes back with the answers.
 */
export class Conversation {
  /** Who may go on with it. */
  readonly owner: string;
  readonly #abort = new AbortController();
  #round: Round | undefined;
  #stopHearing: () => void = () => {};
  #open: OpenQuestions | undefined;
  #end: End | undefined;
  #wake: () => void = () => {};
  #start: (() => void) | undefined;
  #lastAsk: Promise<unknown> = Promise.resolve();

  /** The work is given the conversation and starts with its first turn. However it ends, a turn will tell. */
  constructor(owner: string, work: (talk: Conversation) => Promise<RawResult>) {
    this.owner = owner;
    this.#start = () => void work(this).then((result) => this.#ended({ turn: { result } }), this.#threw);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The message under way, where what the tool says goes out. */
  get round(): Round | undefined {
    return this.#round;
  }

  /** Gives the work this message to speak through, until it ends or has a question. */
  async turn(round: Round): Promise<RoundResult> {
    this.#round = round;
    this.#stopHearing = onAbort(round.signal, (reason) => this.end(reason));
    this.#start?.();
    this.#start = undefined;
    try {
      while (!this.#end && !this.#open) {
        this.#abort.signal.throwIfAborted();
        await new Promise<void>((wake) => (this.#wake = wake));
      }
      if (!this.#end) return { questions: unanswered(this.#open) };
      if ("thrown" in this.#end) throw this.#end.thrown;
      return this.#end.turn;
    } finally {
      this.#stopHearing();
      this.#round = undefined;
    }
  }

  /** Asks, one batch after the other. */
  ask(requests: Questions, signal?: AbortSignal): Promise<Answers> {
    const asked = this.#lastAsk.then(() => this.#askNow(requests, signal));
    this.#lastAsk = asked.catch(() => {});
    return asked;
  }

  /** Takes answers. Those still missing are asked for again in the next turn. */
  answer(responses: Answers): void {
    const open = this.#open;
    if (!open) return;
    for (const key of Object.keys(open.requests))
      if (Object.hasOwn(responses, key)) open.answers.set(key, responses[key]);
    if (Object.keys(unanswered(open)).length > 0) return;
    this.#open = undefined;
    open.resolve(Object.fromEntries(open.answers));
  }

  /** Ends the work: nobody will come back for it. */
  end(reason: unknown): void {
    this.#abort.abort(reason);
    this.#open?.reject(reason);
    this.#open = undefined;
    this.#wake();
  }

  readonly #threw = (thrown: unknown): void => this.#ended({ thrown });

  #ended(end: End): void {
    this.#end = end;
    this.#wake();
  }

  #askNow(requests: Questions, signal: AbortSignal | undefined): Promise<Answers> {
    this.#abort.signal.throwIfAborted();
    signal?.throwIfAborted();
    if (Object.keys(requests).length === 0) throw new CoreError("no_questions", "there is nothing to ask");
    return new Promise((resolve, reject) => {
      const stop = signal
        ? onAbort(signal, (reason) => {
            this.#open = undefined;
            reject(reason);
          })
        : () => {};
      this.#open = {
        requests,
        answers: new Map(),
        resolve: (answers) => (stop(), resolve(answers)),
        reject: (reason) => (stop(), reject(reason)),
      };
      this.#wake();
    });
  }
}

function unanswered(open: OpenQuestions | undefined): Questions {
  if (!open) return {};
  return Object.fromEntries(Object.entries(open.requests).filter(([key]) => !open.answers.has(key)));
}

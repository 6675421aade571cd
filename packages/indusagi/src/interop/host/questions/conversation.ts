import { CoreError, onAbort } from "../../../core/index.ts";
import { giveBackController, takeController } from "../../../core/internal.ts";
import type { Answers, ProgressNote, Questions } from "../../../runtime/index.ts";
import type { RawResult } from "../../contract/index.ts";
import type { Round } from "./round.ts";

/** How a round ends: with the result, or with questions for the client to answer in another round. */
export type RoundResult =
  | { readonly result: RawResult }
  | { readonly questions: Questions }
  /** The work goes on without the client, which asks about it as a task. */
  | { readonly isTask: true };

export type End = { readonly turn: RoundResult } | { readonly thrown: unknown };

interface OpenQuestions {
  readonly requests: Questions;
  /** A map, because a key may be a name that an object treats specially. */
  readonly answers: Map<string, unknown>;
  readonly resolve: (answers: Answers) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A modern request that outlives its message. When a tool asks a question, the request has to end, so the work waits
 * here until the client returns with answers.
 */
export class Conversation {
  /** Who may continue it. */
  readonly owner: string;
  /** Until the work has ended. */
  #abort: AbortController | undefined;
  #round: Round | undefined;
  #unlisten: () => void = () => {};
  #open: OpenQuestions | undefined;
  #end: End | undefined;
  #wake: () => void = asleep;
  /** Until it starts. */
  #work: ((talk: Conversation) => Promise<RawResult>) | undefined;
  #lastAsk: Promise<unknown> | undefined;
  #isTask = false;
  /** The client will not return. */
  #over: AbortSignal | undefined;
  #statusMessage: string | undefined;
  /** Called when the work ends, asks, or continues with answers. */
  onChange: () => void = () => {};

  /** The work starts with the first turn. A turn reports how it ends. */
  constructor(owner: string, work: (talk: Conversation) => Promise<RawResult>) {
    this.owner = owner;
    this.#work = work;
  }

  /** A conversation that ended with this result. */
  static ended(owner: string, result: RawResult): Conversation {
    const talk = new Conversation(owner, async () => result);
    talk.#work = undefined;
    talk.#end = { turn: { result } };
    return talk;
  }

  /** For the work, while it runs. */
  get signal(): AbortSignal {
    if (this.#over) return this.#over;
    this.#abort ??= takeController();
    return this.#abort.signal;
  }

  /** The current message, which carries what the tool sends. */
  get round(): Round | undefined {
    return this.#round;
  }

  /** How the work ended, if it has. */
  get ended(): End | undefined {
    return this.#end;
  }

  /** The questions that wait for an answer. */
  get open(): Questions | undefined {
    return this.#open && unanswered(this.#open);
  }

  get isTask(): boolean {
    return this.#isTask;
  }

  /** What a task last said about its progress. */
  get statusMessage(): string | undefined {
    return this.#statusMessage;
  }

  /** Reports progress: with the current message or, of a task, as part of its state. */
  progress(note: ProgressNote): void {
    this.#round?.progress(note);
    if (!this.#isTask || note.message === undefined || note.message === this.#statusMessage) return;
    this.#statusMessage = note.message;
    this.onChange();
  }

  /** The work goes on as a task: the current turn ends, and its message no longer carries anything. */
  becomeTask(): void {
    this.#isTask = true;
    this.#wake();
  }

  /** Replaces a result that cannot be kept. */
  replaceEnd(thrown: unknown): void {
    this.#end = { thrown };
  }

  /** Lets the work use this message until it ends or asks a question. */
  turn(round: Round): Promise<RoundResult> {
    return new Promise((resolve, reject) => {
      // Not assigned as it is written: V8 puts such a function into the old heap, and with it keeps the whole call.
      const wake = (): void => {
        const end = this.#endOfTurn();
        if (!end) return;
        this.#wake = asleep;
        this.#unlisten();
        this.#round = undefined;
        if ("turn" in end) resolve(end.turn);
        else reject(end.thrown);
      };
      this.#wake = wake;
      this.#round = round;
      this.#unlisten = round.onAbort((reason) => this.end(reason));
      this.#start();
      this.#wake();
    });
  }

  #start(): void {
    const work = this.#work;
    this.#work = undefined;
    try {
      work?.(this).then((result) => this.#ended({ turn: { result } }), this.#threw);
    } catch (thrown) {
      this.#threw(thrown);
    }
  }

  /** How the current turn ends, if it does now. */
  #endOfTurn(): End | undefined {
    if (this.#end) return this.#end;
    if (this.#isTask) return { turn: { isTask: true } };
    if (this.#open) return { turn: { questions: unanswered(this.#open) } };
    return this.#over && { thrown: this.#over.reason };
  }

  /** Asks; batches are sent one after the other. */
  ask(requests: Questions, signal?: AbortSignal): Promise<Answers> {
    const before = this.#lastAsk ?? Promise.resolve();
    const asked = before.then(() => this.#askNow(requests, signal));
    this.#lastAsk = asked.catch(() => {});
    return asked;
  }

  /** Takes answers. Questions without an answer are asked again in the next turn. */
  answer(responses: Answers): void {
    const open = this.#open;
    if (!open) return;
    for (const key of Object.keys(open.requests))
      if (Object.hasOwn(responses, key)) open.answers.set(key, responses[key]);
    if (Object.keys(unanswered(open)).length === 0) {
      this.#open = undefined;
      open.resolve(Object.fromEntries(open.answers));
    }
    this.onChange();
  }

  /** Ends the work: its client will not return. */
  end(reason: unknown): void {
    if (!this.#over) {
      this.#abort ??= takeController();
      this.#abort.abort(reason);
      this.#over = this.#abort.signal;
    }
    this.#open?.reject(reason);
    this.#open = undefined;
    this.#wake();
  }

  readonly #threw = (thrown: unknown): void => this.#ended({ thrown });

  #ended(end: End): void {
    this.#end = end;
    const abort = this.#abort;
    this.#abort = undefined;
    if (abort) giveBackController(abort);
    this.#wake();
    this.onChange();
  }

  #askNow(requests: Questions, signal: AbortSignal | undefined): Promise<Answers> {
    this.#over?.throwIfAborted();
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
      this.onChange();
    });
  }
}

function asleep(): void {}

function unanswered(open: OpenQuestions | undefined): Questions {
  if (!open) return {};
  return Object.fromEntries(Object.entries(open.requests).filter(([key]) => !open.answers.has(key)));
}

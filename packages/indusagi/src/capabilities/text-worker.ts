import { type Transferable, Worker } from "node:worker_threads";
import { CoreError, onAbort } from "../core/index.ts";

/** Starting a thread takes as long as walking thousands of folders, so one idle thread is kept for a while. */
const KEEP_IDLE_MS = 20_000;

/** A worker that threw, or that ended without an answer. */
export class WorkerFault extends CoreError<"threw" | "ended"> {}

export interface WorkerAskOptions {
  /** Ends the worker at once; `ask` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly transfer?: readonly Transferable[];
}

/**
 * Threads that run one program, given as text: it works from source, from the build and in a bundle. The program
 * answers each message with one message. Requests at the same time get a thread each.
 */
export class TextWorker {
  readonly #text: string;
  #spare: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  async ask(request: unknown, { signal, transfer = [] }: WorkerAskOptions = {}): Promise<unknown> {
    signal?.throwIfAborted();
    const worker = this.#take();
    try {
      worker.postMessage(request, transfer);
      const answer = await answerOf(worker, signal);
      this.#giveBack(worker);
      return answer;
    } catch (thrown) {
      void worker.terminate();
      throw thrown;
    }
  }

  #take(): Worker {
    const worker = this.#spare ?? this.#start();
    this.#forgetSpare();
    worker.ref();
    return worker;
  }

  #start(): Worker {
    const worker = new Worker(this.#text, { eval: true, env: {}, execArgv: [] });
    return worker.once("exit", () => {
      if (this.#spare === worker) this.#forgetSpare();
    });
  }

  /** Keeps a thread for the next request. It does not keep the process alive, and ends when it stays idle. */
  #giveBack(worker: Worker): void {
    if (this.#spare) return void worker.terminate();
    this.#spare = worker;
    worker.unref();
    this.#idleTimer = setTimeout(() => void worker.terminate(), KEEP_IDLE_MS).unref();
  }

  #forgetSpare(): void {
    this.#spare = undefined;
    clearTimeout(this.#idleTimer);
  }
}

/** Waits for the worker's answer. Removes its listeners, because the worker may get another request. */
function answerOf(worker: Worker, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      stopListening?.();
      act();
    };
    const onMessage = (answer: unknown): void => settle(() => resolve(answer));
    const onError = (cause: unknown): void =>
      settle(() => reject(new WorkerFault("threw", "the worker failed", { cause })));
    const onExit = (): void =>
      settle(() => reject(new WorkerFault("ended", "the worker ended without an answer")));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
    const stopListening = signal && onAbort(signal, (reason) => settle(() => reject(reason)));
  });
}

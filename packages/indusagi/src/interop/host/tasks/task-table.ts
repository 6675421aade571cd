import { CoreError, callListener, isoTime, mintUlid } from "../../../core/index.ts";
import { withDefaults } from "../../../core/internal.ts";
import type { Answers } from "../../../runtime/index.ts";
import type { RawResult } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { Conversation } from "../questions/conversation.ts";
import { roughSize } from "../stream/json-pieces.ts";

export interface TaskLimits {
  /** How long a task is kept after it was created, running or not. A client may ask for less. Default 10 min. */
  readonly ttlMs: number;
  /** How often a client should ask. Default 1 s. */
  readonly pollMs: number;
  /** Tasks of one client at the same time. Default 64. */
  readonly perOwner: number;
  /** Tasks of all clients. Default 1,024. */
  readonly total: number;
  /** The results of all tasks together, in bytes. Default 64 MiB. */
  readonly bytes: number;
  /** A call of any tool that takes longer goes on as a task, if there is room for it. Default: only those of tools that say so. */
  readonly afterMs: number;
}

const DEFAULTS: TaskLimits = {
  ttlMs: 600_000,
  pollMs: 1_000,
  perOwner: 64,
  total: 1_024,
  bytes: 64 * 1024 * 1024,
  afterMs: Number.POSITIVE_INFINITY,
};

interface Task {
  readonly id: string;
  readonly talk: Conversation;
  readonly createdAt: string;
  readonly timer: NodeJS.Timeout;
  /** The listener of the request that created it, if there is one. */
  readonly listener: string | undefined;
  readonly ttlMs: number;
  updatedAt: string;
  isCancelled: boolean;
  /** The size of its result, once there is one. */
  bytes: number;
  /** Called with its state after each change. */
  readonly watchers: Set<(state: RawResult) => void>;
}

export interface AdoptOptions {
  readonly listener?: string | undefined;
  readonly ttlMs?: number | undefined;
}

/**
 * Calls that go on after their request was answered, each as a task that its client asks about. A task is kept for its time to live,
 * so that a client that was away still gets the result.
 */
export class TaskTable {
  readonly #limits: TaskLimits;
  readonly #tasks = new Map<string, Task>();

  constructor(limits: Partial<TaskLimits> = {}) {
    this.#limits = withDefaults(DEFAULTS, limits);
  }

  /** Throws if there is no room for one more task. */
  requireRoom(owner: string): void {
    const reason = this.#fullFor(owner);
    if (reason !== undefined) throw new RpcFailure(RpcCode.REFUSED, reason);
  }

  /**
   * Keeps a running conversation, or one that has ended, and returns the answer that names it. If there is no room, ends it and throws.
   * `ttlMs`: how long its client wants it to be kept.
   */
  adopt(talk: Conversation, { listener, ttlMs: wished }: AdoptOptions = {}): RawResult {
    try {
      this.requireRoom(talk.owner);
    } catch (full) {
      talk.end(full);
      throw full;
    }
    const at = isoTime();
    const { ttlMs: longest, pollMs } = this.#limits;
    // A task that expires before its client may ask about it is of no use.
    const ttlMs = Math.min(Math.max(Math.ceil(wished ?? longest), pollMs), longest);
    // Not guessable: a client without a principal is known by the id alone.
    const id = `task_${mintUlid()}${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`;
    const timer = setTimeout(() => this.#drop(id, "the task has expired"), ttlMs).unref();
    const task: Task = {
      id,
      talk,
      listener,
      ttlMs,
      createdAt: at,
      updatedAt: at,
      timer,
      isCancelled: false,
      bytes: 0,
      watchers: new Set(),
    };
    talk.onChange = () => this.#changed(task);
    this.#tasks.set(id, task);
    if (talk.ended) this.#changed(task);
    return { resultType: "task", ...this.#head(task) };
  }

  /** The state of a task, for its owner only. */
  get(id: string, owner: string): RawResult | undefined {
    const task = this.#of(id, owner);
    return task && this.#state(task);
  }

  /** Gives a task answers to its questions. Unknown keys are ignored, and part of the answers is enough. */
  update(id: string, owner: string, answers: Answers): boolean {
    const task = this.#of(id, owner);
    task?.talk.answer(answers);
    return task !== undefined;
  }

  /** Ends a task. One that has ended stays as it is. */
  cancel(id: string, owner: string): boolean {
    const task = this.#of(id, owner);
    if (task && !task.talk.ended) {
      task.isCancelled = true;
      task.talk.end(new CoreError("aborted", "the task was cancelled"));
      this.#changed(task);
    }
    return task !== undefined;
  }

  /** Calls the listener with the state of a task soon, and after each change. Undefined if this owner has no such task. */
  watch(id: string, owner: string, listener: (state: RawResult) => void): (() => void) | undefined {
    const task = this.#of(id, owner);
    if (!task) return undefined;
    const watcher = (state: RawResult): void => listener(state);
    task.watchers.add(watcher);
    queueMicrotask(() => {
      if (task.watchers.has(watcher)) callListener(watcher, this.#state(task));
    });
    return () => void task.watchers.delete(watcher);
  }

  /** After how long a call of any tool may go on as a task. */
  get afterMs(): number {
    return this.#limits.afterMs;
  }

  hasRoomFor(owner: string): boolean {
    return this.#fullFor(owner) === undefined;
  }

  /** Ends the tasks of an owner that cannot return. */
  endOwned(owner: string): void {
    for (const [id, task] of this.#tasks)
      if (task.talk.owner === owner) this.#drop(id, "the client disconnected");
  }

  /** Ends the tasks of a closed listener. */
  endOfListener(listener: string): void {
    for (const [id, task] of this.#tasks)
      if (task.listener === listener) this.#drop(id, "the listener is closed");
  }

  /** Why no more tasks of an owner are kept. Undefined if there is room. */
  #fullFor(owner: string): string | undefined {
    const { perOwner, total } = this.#limits;
    const owned = [...this.#tasks.values()].filter((task) => task.talk.owner === owner).length;
    const wayOut = "wait until one expires";
    if (owned >= perOwner)
      return `too many tasks: ${perOwner} of this client are kept, the most it may have; ${wayOut}`;
    return this.#tasks.size >= total
      ? `too many tasks: ${total} of all clients are kept, the most there may be; ${wayOut}`
      : undefined;
  }

  #of(id: string, owner: string): Task | undefined {
    const task = this.#tasks.get(id);
    return task?.talk.owner === owner ? task : undefined;
  }

  #drop(id: string, reason: string): void {
    const task = this.#tasks.get(id);
    this.#tasks.delete(id);
    clearTimeout(task?.timer);
    task?.watchers.clear();
    task?.talk.end(new CoreError("aborted", reason));
  }

  #changed(task: Task): void {
    // The tool of a cancelled task ends later.
    if (task.isCancelled && task.talk.ended) return;
    task.updatedAt = isoTime();
    this.#limitResult(task);
    for (const watcher of [...task.watchers]) callListener(watcher, this.#state(task));
  }

  #limitResult(task: Task): void {
    const { ended } = task.talk;
    if (!ended || !("turn" in ended) || !("result" in ended.turn)) return;
    task.bytes = roughSize(ended.turn.result, this.#limits.bytes);
    const bytes = [...this.#tasks.values()].reduce((sum, each) => sum + each.bytes, 0);
    if (bytes <= this.#limits.bytes) return;
    task.bytes = 0;
    task.talk.replaceEnd(
      new RpcFailure(RpcCode.REFUSED, "the result is too large to be kept; call the tool without a task"),
    );
  }

  #state(task: Task): RawResult {
    return { ...this.#head(task), ...detailsOf(task) };
  }

  #head(task: Task): RawResult {
    const { statusMessage } = task.talk;
    return {
      taskId: task.id,
      status: statusOf(task),
      ...(statusMessage !== undefined && !task.talk.ended && { statusMessage }),
      createdAt: task.createdAt,
      lastUpdatedAt: task.updatedAt,
      ttlMs: task.ttlMs,
      pollIntervalMs: this.#limits.pollMs,
    };
  }
}

function statusOf({ talk, isCancelled }: Task): string {
  if (isCancelled) return "cancelled";
  const { ended } = talk;
  if (ended) return "thrown" in ended ? "failed" : "completed";
  return talk.open ? "input_required" : "working";
}

function detailsOf({ talk, isCancelled }: Task): RawResult {
  const { ended, open } = talk;
  if (isCancelled) return {};
  if (!ended) return open ? { inputRequests: open } : {};
  if ("thrown" in ended) return { error: errorOf(ended.thrown) };
  return "result" in ended.turn ? { result: ended.turn.result } : {};
}

function errorOf(thrown: unknown): object {
  if (thrown instanceof RpcFailure) {
    const { code, message, data } = thrown;
    return { code, message, ...(data === undefined ? {} : { data }) };
  }
  return {
    code: RpcCode.INTERNAL_ERROR,
    message: thrown instanceof Error ? thrown.message : "the call failed",
  };
}

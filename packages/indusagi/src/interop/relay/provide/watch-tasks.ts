import { backoffMs, callListener, onAbort, settlesWithin } from "../../../core/index.ts";
import { isRecord, MAX_TIMER_MS, sameJson } from "../../../core/internal.ts";
import type { ProviderRequest, RawResult, ServerFleet, SessionNotification } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { TaskRef } from "../names/task-handles.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
/** A server that does not push tasks may leave the subscription open without naming them. */
const ACKNOWLEDGE_MS = 5_000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 30_000;
const DEFAULT_POLL_MS = 1_000;
const ENDED: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** One task of a server that a client watches. */
interface WatchedTask extends TaskRef {
  /** The id that the client knows. */
  readonly taskId: string;
  readonly listener: (task: RawResult) => void;
}

interface TaskWatchesOptions {
  readonly fleet: ServerFleet;
  /** Asks for the state of a task, as the client sees it. Undefined if it has no such task any more. */
  readonly look: (taskId: string, request: ProviderRequest) => Promise<RawResult> | undefined;
  /** A state that the server sent, as the client sees it. Undefined if it may not see it any more. */
  readonly shown: (task: WatchedTask, state: RawResult, request: ProviderRequest) => RawResult | undefined;
}

/** The tasks of servers that clients watch: one group for each server of a subscription. */
export class TaskWatches {
  readonly #options: TaskWatchesOptions;
  readonly #groups = new WeakMap<ProviderRequest, Map<string, ServerTasks>>();

  constructor(options: TaskWatchesOptions) {
    this.#options = options;
  }

  /** Returns a function that ends the watch. */
  add(task: WatchedTask, request: ProviderRequest): () => void {
    const groups = this.#groups.get(request) ?? new Map<string, ServerTasks>();
    this.#groups.set(request, groups);
    const known = groups.get(task.server);
    const group = known && !known.isStarted ? known : new ServerTasks(task.server, request, this.#options);
    groups.set(task.server, group);
    return group.add(task);
  }
}

interface Followed extends WatchedTask {
  /** What its client knows. */
  last: RawResult | undefined;
  /** Counts what the server pushed. */
  pushes: number;
  /** Ends the wait for the next look. */
  wake: () => void;
}

/**
 * The tasks of one server in one subscription. The server is asked to push their changes; until it does, and if it does not, we ask for
 * the state of each as often as it says.
 */
class ServerTasks {
  readonly #server: string;
  readonly #request: ProviderRequest;
  readonly #options: TaskWatchesOptions;
  readonly #over = new AbortController();
  readonly #tasks = new Map<string, Followed>();
  /** The tasks whose changes the server pushes now. */
  #pushed: ReadonlySet<unknown> = new Set();
  isStarted = false;

  constructor(server: string, request: ProviderRequest, options: TaskWatchesOptions) {
    this.#server = server;
    this.#request = { ...request, signal: this.#over.signal };
    this.#options = options;
    const stop = onAbort(request.signal, () => this.#end());
    this.#over.signal.addEventListener("abort", stop, { once: true });
    // All tasks of a subscription are added in one turn.
    queueMicrotask(() => this.#start());
  }

  add(task: WatchedTask): () => void {
    const followed: Followed = { ...task, last: undefined, pushes: 0, wake: () => {} };
    this.#tasks.set(task.id, followed);
    return () => this.#remove(followed);
  }

  #start(): void {
    this.isStarted = true;
    if (this.#over.signal.aborted) return;
    void this.#subscribe().catch(() => {}); // It is asked instead.
    for (const task of this.#tasks.values()) void this.#follow(task);
  }

  #remove(task: Followed): void {
    if (this.#tasks.get(task.id) !== task) return;
    this.#tasks.delete(task.id);
    task.wake();
    if (this.#tasks.size === 0) this.#over.abort();
  }

  #end(): void {
    for (const task of [...this.#tasks.values()]) this.#remove(task);
  }

  #isWatched(task: Followed): boolean {
    return this.#tasks.get(task.id) === task;
  }

  async #follow(task: Followed): Promise<void> {
    for (let failures = 0; this.#isWatched(task); ) {
      const isPushed = this.#pushed.has(task.id);
      const { pushes } = task;
      let waitMs: number | undefined;
      try {
        const state = await this.#options.look(task.taskId, this.#request);
        if (!state) return this.#remove(task);
        failures = 0;
        // What was pushed meanwhile is newer.
        if (task.pushes === pushes) this.#show(task, state);
        waitMs = isPushed ? undefined : pollMs(state["pollIntervalMs"]);
      } catch (thrown) {
        if (isUnknown(thrown)) return this.#remove(task);
        waitMs = backoffMs(failures++, { maxMs: MAX_POLL_MS });
      }
      if (this.#isWatched(task) && isPushed === this.#pushed.has(task.id)) await woken(task, waitMs);
    }
  }

  #show(task: Followed, state: RawResult): void {
    if (!this.#isWatched(task)) return;
    if (!sameJson(task.last, state)) {
      task.last = state;
      callListener(task.listener, state);
    }
    if (ENDED.has(state["status"])) this.#remove(task);
  }

  /** Resolves when the subscription has ended. */
  async #subscribe(): Promise<void> {
    const { caller, signal } = this.#request;
    const lease = await this.#options.fleet.acquire(this.#server, { caller, signal });
    let stopListening = (): void => {};
    const gaveUp = new AbortController();
    const unlisten = onAbort(signal, () => gaveUp.abort());
    try {
      const session = lease.endpoint.session();
      if (session.era !== "modern") return;
      let acknowledge = (): void => {};
      const acknowledged = new Promise<void>((resolve) => (acknowledge = resolve));
      stopListening = session.onNotification((notification) => {
        if (this.#accept(notification)) acknowledge();
      });
      const times = { timeoutMs: MAX_TIMER_MS, totalMs: MAX_TIMER_MS };
      const filter = { notifications: { taskIds: [...this.#tasks.keys()] } };
      const listening = session
        .request("subscriptions/listen", filter, { ...times, caller, signal: gaveUp.signal })
        .then(
          () => {},
          () => {},
        );
      const answered = Promise.race([acknowledged, listening]);
      if (!(await settlesWithin(answered, ACKNOWLEDGE_MS, { signal }))) gaveUp.abort();
      await listening;
    } finally {
      unlisten();
      stopListening();
      lease.release();
      this.#setPushed([]);
    }
  }

  /** True for the acknowledgement of our subscription. */
  #accept({ method, params = {} }: SessionNotification): boolean {
    if (method === "notifications/tasks") {
      const task = this.#tasks.get(String(params["taskId"]));
      if (task) this.#pushedState(task, params);
      return false;
    }
    if (method !== ACKNOWLEDGED) return false;
    const { taskIds } = isRecord(params["notifications"]) ? params["notifications"] : {};
    // Other subscriptions on this connection are acknowledged too.
    if (!Array.isArray(taskIds) || !taskIds.some((id) => this.#tasks.has(String(id)))) return false;
    this.#setPushed(taskIds);
    return true;
  }

  #pushedState(task: Followed, params: RawResult): void {
    task.pushes += 1;
    const { _meta, ...state } = params;
    const shown = this.#options.shown(task, state, this.#request);
    if (shown) this.#show(task, shown);
    else this.#remove(task);
  }

  /** Each task is looked at once more: it may have changed before. */
  #setPushed(taskIds: readonly unknown[]): void {
    this.#pushed = new Set(taskIds);
    for (const task of this.#tasks.values()) task.wake();
  }
}

/** Resolves after a while, or when the task is woken. Without a time only then. */
function woken(task: Followed, waitMs: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = waitMs === undefined ? undefined : setTimeout(() => task.wake(), waitMs);
    task.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function pollMs(stated: unknown): number {
  const ms = typeof stated === "number" ? stated : DEFAULT_POLL_MS;
  return Math.min(Math.max(ms, MIN_POLL_MS), MAX_POLL_MS);
}

/** The server does not know the task any more. */
function isUnknown(thrown: unknown): boolean {
  return thrown instanceof RpcFailure && thrown.code === RpcCode.INVALID_PARAMS;
}

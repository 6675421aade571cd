import { showDuration, systemClock } from "../../../core/index.ts";
import { definedMembers } from "../../../core/internal.ts";
import { isProtocolFault, ProtocolFault } from "../../contract/index.ts";
import type { RawSession, TimedRequest } from "../connect/raw-session.ts";
import { asMayHaveRun } from "../faults/error-faults.ts";

interface TaskState {
  readonly taskId?: unknown;
  readonly status?: unknown;
  readonly statusMessage?: unknown;
  readonly pollInterval?: unknown;
}

const TTL_MS = 10 * 60_000;
const DEFAULT_POLL_MS = 500;
const MAX_POLL_MS = 5000;
const ENDED = new Set(["completed", "failed", "cancelled"]);

/** Runs a tool that can only be called as a task: creates the task, polls until it ends, then fetches its result. */
export async function runTask(
  session: RawSession,
  request: TimedRequest,
): Promise<{ readonly [member: string]: unknown }> {
  const { server } = session.context;
  const { totalMs, params } = request;
  const tool = String(params["name"]);
  const time = new CallTime(totalMs, { server, tool });
  const creating = { ...request, params: { ...params, task: { ttl: TTL_MS } } };
  const created = (await session.ask(creating)) as { readonly task?: TaskState };
  const taskId = created.task?.taskId;
  if (typeof taskId !== "string") {
    const message = `tool "${tool}" was called as a task, but the server created none`;
    throw new ProtocolFault("protocol", message);
  }
  const about = (method: string): TimedRequest => ({
    ...request,
    method,
    params: { taskId },
    totalMs: time.leftMs(),
    startedMs: performance.now(),
  });
  const waiting = { caller: request.caller, signal: request.signal, task: taskId };
  const entered = session.questions.enter(waiting);
  try {
    await untilEnded(session, created.task ?? {}, { request, time, poll: () => about("tasks/get") });
    return (await session.ask(about("tasks/result"))) as { readonly [member: string]: unknown };
  } catch (thrown) {
    session.request("tasks/cancel", { taskId }, { timeoutMs: 2000 }).catch(() => {}); // May be too late.
    const why = time.isUp && isTimeout(thrown) ? time.fault() : thrown; // Not the time left for one request.
    throw asMayHaveRun(why); // The task exists, even if a request about it failed.
  } finally {
    session.questions.leave(waiting, entered, true);
  }
}

function isTimeout(thrown: unknown): boolean {
  return isProtocolFault(thrown) && thrown.kind === "timeout";
}

interface Polling {
  readonly time: CallTime;
  /** The next request for the state of the task. */
  readonly poll: () => TimedRequest;
  readonly request: TimedRequest;
}

async function untilEnded(
  session: RawSession,
  first: TaskState,
  { time, poll, request: { onProgress, signal } }: Polling,
): Promise<void> {
  let state = first;
  for (let polls = 0; !ENDED.has(String(state.status)); polls++) {
    // A task that waits for input sends its questions while its result is requested.
    if (state.status === "input_required") return;
    const message = typeof state.statusMessage === "string" ? state.statusMessage : undefined;
    onProgress?.(definedMembers({ progress: polls, message }));
    const pollMs = typeof state.pollInterval === "number" ? state.pollInterval : DEFAULT_POLL_MS;
    const waitMs = Math.min(Math.max(pollMs, 10), MAX_POLL_MS, time.leftMs());
    await systemClock.sleep(waitMs, signal);
    state = (await session.ask(poll())) as TaskState;
  }
}

/** Time limit for a call that consists of many requests. */
class CallTime {
  readonly #totalMs: number;
  readonly #called: { readonly server: string; readonly tool: string };
  readonly #endsAtMs: number;

  constructor(totalMs: number, called: { readonly server: string; readonly tool: string }) {
    this.#totalMs = totalMs;
    this.#called = called;
    this.#endsAtMs = performance.now() + totalMs;
  }

  get isUp(): boolean {
    return performance.now() >= this.#endsAtMs;
  }

  /** Time left for the next request; throws if there is none. */
  leftMs(): number {
    const leftMs = this.#endsAtMs - performance.now();
    if (leftMs <= 0) throw this.fault();
    return leftMs;
  }

  fault(): ProtocolFault {
    const { server, tool } = this.#called;
    const message = `server "${server}" did not finish the task of tool "${tool}" within ${showDuration(this.#totalMs)}`;
    return new ProtocolFault("timeout", message, { server });
  }
}

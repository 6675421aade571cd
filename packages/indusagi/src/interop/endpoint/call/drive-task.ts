import { showDuration, systemClock } from "../../../core/index.ts";
import { definedMembers, isRecord } from "../../../core/internal.ts";
import type { Answers, Caller, Questions } from "../../../runtime/index.ts";
import { pollMs } from "../../content/index.ts";
import { Extension, isProtocolFault, ProtocolFault, type RawResult } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import type { RawSession, TimedRequest } from "../connect/raw-session.ts";
import { asMayHaveRun } from "../faults/error-faults.ts";

/** Whether a server refuses a call because its client does not follow tasks. */
export function needsTasks(thrown: unknown): boolean {
  if (!isProtocolFault(thrown) || thrown.rpc?.code !== RpcCode.MISSING_CAPABILITY) return false;
  const { data } = thrown.rpc;
  const required = isRecord(data) ? data["requiredCapabilities"] : undefined;
  const extensions = isRecord(required) ? required["extensions"] : undefined;
  return isRecord(extensions) && Object.hasOwn(extensions, Extension.TASKS);
}

/** The same request by a client that follows tasks: we do, for a caller that cannot. */
export function followingTasks(request: TimedRequest): TimedRequest {
  const caller: Caller = request.caller ?? { key: "own", can: {} };
  const extensions = { ...caller.can.extensions, [Extension.TASKS]: {} };
  return {
    ...request,
    caller: { ...caller, can: { ...caller.can, extensions } },
    startedMs: performance.now(),
  };
}

/**
 * Follows a task of a modern server to its end, for a caller that cannot: asks for its state, passes its questions on, and returns
 * the result of the call. If the caller gives up, the task is cancelled.
 */
export async function driveTask(
  session: RawSession,
  request: TimedRequest,
  created: RawResult,
  answer: (questions: Questions) => Promise<Answers>,
): Promise<RawResult> {
  const { taskId } = created;
  const { server } = session.context;
  if (typeof taskId !== "string")
    throw new ProtocolFault("protocol", `server "${server}" created a task without an id`, { server });
  const send = (method: string, more: object = {}): Promise<RawResult> =>
    session.ask({
      ...followingTasks(request),
      method,
      params: { taskId, ...more },
      headers: undefined,
    }) as Promise<RawResult>;
  const endsAtMs = performance.now() + request.totalMs;
  /** A server may show a question for a moment after its answer. It never asks two under one key. */
  const answered = new Set<string>();
  try {
    let state = created;
    for (let polls = 0; ; polls++) {
      if (state["status"] === "input_required" && isRecord(state["inputRequests"])) {
        const asked = Object.entries(state["inputRequests"]).filter(([key]) => !answered.has(key));
        if (asked.length > 0) {
          const inputResponses = await answer(Object.fromEntries(asked) as unknown as Questions);
          for (const [key] of asked) answered.add(key);
          await send("tasks/update", { inputResponses });
        }
      } else if (state["status"] === "completed" && isRecord(state["result"])) return state["result"];
      else if (state["status"] === "failed") throw failed(server, state["error"]);
      else if (state["status"] === "cancelled")
        throw new ProtocolFault("tool_error", `server "${server}" cancelled the task`, { server });
      else {
        const { statusMessage } = state;
        const message = typeof statusMessage === "string" ? statusMessage : "running as a task";
        request.onProgress?.({ progress: polls, message });
      }
      if (performance.now() >= endsAtMs) {
        const message = `server "${server}" did not finish the task within ${showDuration(request.totalMs)}`;
        throw new ProtocolFault("timeout", message, { server });
      }
      await systemClock.sleep(pollMs(state), request.signal);
      state = await send("tasks/get");
    }
  } catch (thrown) {
    const { signal: _, ...quiet } = followingTasks(request);
    session
      .ask({ ...quiet, signal: undefined, method: "tasks/cancel", params: { taskId }, timeoutMs: 2_000 })
      .catch(() => {}); // It may have ended.
    throw asMayHaveRun(thrown); // The task exists, even if a request about it failed.
  }
}

/** The error that the call itself would have had. */
function failed(server: string, error: unknown): ProtocolFault {
  const { code, message, data } = isRecord(error) ? error : {};
  const text = typeof message === "string" ? message : "the task failed";
  const rpc = { code: typeof code === "number" ? code : RpcCode.INTERNAL_ERROR, message: text, data };
  return new ProtocolFault("tool_error", text, { server, rpc: definedMembers(rpc) });
}

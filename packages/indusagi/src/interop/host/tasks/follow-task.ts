import { systemClock } from "../../../core/index.ts";
import { isRecord } from "../../../core/internal.ts";
import type { Questions } from "../../../runtime/index.ts";
import type { ProviderRequest, RawResult, TaskMethod } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { HostConnection } from "../request/host-connection.ts";

const MIN_POLL_MS = 100;
const MAX_POLL_MS = 30_000;
const DEFAULT_POLL_MS = 1_000;

/**
 * Follows a task of a server to the result of its call, with its questions. For a call that became a task of this host before its server
 * answered with one: its client knows the first.
 */
export async function followTask(
  { providers: { tasks } }: HostConnection,
  created: RawResult,
  request: ProviderRequest,
): Promise<RawResult> {
  const { caller, signal } = request;
  const taskId = String(created["taskId"]);
  const send = (method: TaskMethod, more: object = {}, by = request): Promise<RawResult> => {
    const answering = tasks?.request(method, { taskId, ...more }, by);
    if (!answering) throw new RpcFailure(RpcCode.INVALID_PARAMS, "the task of the server is gone");
    return answering;
  };
  const answered = new Set<string>();
  try {
    for (let state = created; ; state = await send("tasks/get")) {
      const { status, result, error, inputRequests, statusMessage, pollIntervalMs } = state;
      if (status === "completed" && isRecord(result)) return result;
      if (status === "failed") throw failureOf(error);
      if (status === "cancelled")
        throw new RpcFailure(RpcCode.INTERNAL_ERROR, "the server cancelled the task");
      if (typeof statusMessage === "string") caller.progress?.({ progress: 0, message: statusMessage });
      const asked = Object.entries(isRecord(inputRequests) ? inputRequests : {}).filter(
        ([key]) => !answered.has(key),
      );
      if (asked.length > 0 && caller.ask) {
        const inputResponses = await caller.ask(Object.fromEntries(asked) as unknown as Questions, signal);
        for (const [key] of asked) answered.add(key);
        await send("tasks/update", { inputResponses });
      }
      const pollMs = typeof pollIntervalMs === "number" ? pollIntervalMs : DEFAULT_POLL_MS;
      await systemClock.sleep(Math.min(Math.max(pollMs, MIN_POLL_MS), MAX_POLL_MS), signal);
    }
  } catch (thrown) {
    if (signal.aborted)
      send("tasks/cancel", {}, { ...request, signal: AbortSignal.timeout(CANCEL_MS) }).catch(() => {});
    throw thrown;
  }
}

const CANCEL_MS = 2_000;

function failureOf(error: unknown): RpcFailure {
  const { code, message, data } = isRecord(error) ? error : {};
  return new RpcFailure(
    typeof code === "number" ? code : RpcCode.INTERNAL_ERROR,
    typeof message === "string" ? message : "the task failed",
    data,
  );
}

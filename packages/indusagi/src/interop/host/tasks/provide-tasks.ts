import { isRecord } from "../../../core/internal.ts";
import type { ProviderRequest, RawResult, TaskMethod, TaskParams } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { requestMeta } from "../request/host-request.ts";
import { AS_RECEIVED, type RequestContext } from "../request/request-context.ts";
import { sendable, sendableFailure } from "../request/sendable.ts";
import { requireTasks } from "./follows-tasks.ts";

/** Answers requests of a modern client about tasks: those kept here, and those of servers. */
export function provideTasks(connection: HostConnection): void {
  for (const method of METHODS)
    connection.server.setRequestHandler(method, { params: AS_RECEIVED }, (params, ctx) =>
      answerTask(connection, method, params, ctx),
    );
}

/** The answer to a request about a task. Clients repeat it every second, so it makes no conversation: nothing is asked on the way. */
export async function answerTask(
  connection: HostConnection,
  method: TaskMethod,
  params: unknown,
  ctx: RequestContext,
): Promise<RawResult> {
  requireTasks(ctx);
  // The SDK takes the answers out of the params of every request.
  const asked = {
    taskId: taskIdIn(params),
    inputResponses: ctx.mcpReq.inputResponses,
    // Whoever waits for the result at the other end of a link gets the questions, not whoever only looks.
    ...(connection.core.isLinked && (params as TaskParams).stateOnly && { stateOnly: true }),
  };
  const kept = keptTask(connection, method, asked);
  if (kept) return { resultType: "complete", ...kept };
  const meta = requestMeta(ctx);
  const request = {
    caller: connection.caller(ctx),
    signal: ctx.mcpReq.signal,
    ...(meta && { meta }),
  };
  try {
    const answer = await serverTask(connection, method, asked, request);
    return sendable({ ...answer, resultType: "complete" });
  } catch (thrown) {
    throw sendableFailure(thrown);
  }
}

const METHODS: readonly TaskMethod[] = ["tasks/get", "tasks/update", "tasks/cancel"];

/** The id of the task that a request is about. */
export function taskIdIn(params: unknown): string {
  const { taskId } = isRecord(params) ? params : {};
  if (typeof taskId !== "string") throw new RpcFailure(RpcCode.INVALID_PARAMS, "taskId is missing");
  return taskId;
}

/** The answer about a task of this host. Undefined if there is none with this id. */
export function keptTask(
  { core: { keptTasks }, taskOwner }: HostConnection,
  method: TaskMethod,
  { taskId, inputResponses = {} }: TaskParams,
): RawResult | undefined {
  if (method === "tasks/get") return keptTasks.get(taskId, taskOwner);
  const isKnown =
    method === "tasks/update"
      ? keptTasks.update(taskId, taskOwner, inputResponses)
      : keptTasks.cancel(taskId, taskOwner);
  return isKnown ? {} : undefined;
}

/** The answer about a task of a server. Throws if this client has none with this id. */
export function serverTask(
  { providers: { tasks } }: HostConnection,
  method: TaskMethod,
  asked: TaskParams,
  request: ProviderRequest,
): Promise<RawResult> {
  const answering = tasks?.request(method, asked, request);
  if (!answering)
    throw new RpcFailure(RpcCode.INVALID_PARAMS, `there is no task ${JSON.stringify(asked.taskId)}`);
  return answering;
}

import { isRecord } from "../../../core/internal.ts";
import type { ProviderRequest, RawResult, TaskMethod, TaskParams } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { askProvider } from "../offer/provide-resources.ts";
import { AS_RECEIVED } from "../request/as-received.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { requireTasks } from "./follows-tasks.ts";

/** Answers requests of a modern client about tasks: those kept here, and those of servers. */
export function provideTasks(connection: HostConnection): void {
  for (const method of METHODS)
    connection.server.setRequestHandler(method, { params: AS_RECEIVED }, async (params, ctx) => {
      requireTasks(ctx);
      // The SDK takes the answers out of the params of every request.
      const asked = { taskId: taskIdIn(params), inputResponses: ctx.mcpReq.inputResponses };
      const kept = keptTask(connection, method, asked);
      if (kept) return { resultType: "complete", ...kept };
      const answer = await askProvider(connection, ctx, `${method} ${asked.taskId}`, (request) =>
        askServer(connection, method, asked, request),
      );
      return { ...answer, resultType: "complete" };
    });
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
export function askServer(
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

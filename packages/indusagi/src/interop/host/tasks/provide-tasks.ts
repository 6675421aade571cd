import { isRecord } from "../../../core/internal.ts";
import type { RawResult, TaskMethod, TaskParams } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { askProvider } from "../offer/provide-resources.ts";
import { AS_RECEIVED } from "../request/as-received.ts";
import type { HostConnection } from "../request/host-connection.ts";
import type { RequestContext } from "../request/request-context.ts";
import { requireTasks } from "./follows-tasks.ts";

/** Answers requests of a modern client about tasks: those kept here, and those of servers. */
export function provideTasks(connection: HostConnection): void {
  for (const method of METHODS)
    connection.server.setRequestHandler(method, { params: AS_RECEIVED }, async (params, ctx) => {
      requireTasks(ctx);
      const asked = askedTask(params, ctx);
      const kept = keptTask(connection, method, asked);
      if (kept) return { resultType: "complete", ...kept };
      const answer = await askProvider(connection, ctx, `${method} ${asked.taskId}`, (request) => {
        const answering = connection.providers.tasks?.request(method, asked, request);
        if (!answering)
          throw new RpcFailure(RpcCode.INVALID_PARAMS, `there is no task ${JSON.stringify(asked.taskId)}`);
        return answering;
      });
      return { ...answer, resultType: "complete" };
    });
}

const METHODS: readonly TaskMethod[] = ["tasks/get", "tasks/update", "tasks/cancel"];

/** The answer about a task of this host. Undefined if there is none with this id. */
function keptTask(
  { core: { tasks }, owner }: HostConnection,
  method: TaskMethod,
  { taskId, inputResponses = {} }: TaskParams,
): RawResult | undefined {
  if (method === "tasks/get") return tasks?.get(taskId, owner);
  const isKnown =
    method === "tasks/update" ? tasks?.update(taskId, owner, inputResponses) : tasks?.cancel(taskId, owner);
  return isKnown ? {} : undefined;
}

function askedTask(params: unknown, { mcpReq }: RequestContext): TaskParams {
  const { taskId } = isRecord(params) ? params : {};
  if (typeof taskId !== "string") throw new RpcFailure(RpcCode.INVALID_PARAMS, "taskId is missing");
  // The SDK takes the answers out of the params of every request.
  return { taskId, inputResponses: mcpReq.inputResponses };
}

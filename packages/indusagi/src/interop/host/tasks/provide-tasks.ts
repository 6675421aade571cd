import type { ServerContext } from "@modelcontextprotocol/server";
import { isRecord } from "../../../core/internal.ts";
import type { RawResult, TaskMethod, TaskParams } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { AS_RECEIVED } from "../request/as-received.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { requestMeta } from "../request/host-request.ts";
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
  ctx: ServerContext,
): Promise<RawResult> {
  requireTasks(ctx);
  const asked = askedTask(params, ctx);
  const kept = keptTask(connection, method, asked);
  if (kept) return { resultType: "complete", ...kept };
  const meta = requestMeta(ctx);
  const request = {
    caller: connection.caller(ctx),
    signal: ctx.mcpReq.signal,
    ...(meta && { meta }),
  };
  try {
    const answering = connection.providers.tasks?.request(method, asked, request);
    if (!answering)
      throw new RpcFailure(RpcCode.INVALID_PARAMS, `there is no task ${JSON.stringify(asked.taskId)}`);
    return sendable({ ...(await answering), resultType: "complete" });
  } catch (thrown) {
    throw sendableFailure(thrown);
  }
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

function askedTask(params: unknown, { mcpReq }: ServerContext): TaskParams {
  const { taskId } = isRecord(params) ? params : {};
  if (typeof taskId !== "string") throw new RpcFailure(RpcCode.INVALID_PARAMS, "taskId is missing");
  // The SDK takes the answers out of the params of every request.
  return { taskId, inputResponses: mcpReq.inputResponses };
}

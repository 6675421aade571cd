import { onAbort, systemClock } from "../../../core/index.ts";
import { isRecord } from "../../../core/internal.ts";
import type { ToolDescriptor } from "../../../llm/index.ts";
import type { Caller, Question, Questions, TaskWish } from "../../../runtime/index.ts";
import { isEnded, legacyTask, pollMs, withRelatedTask } from "../../content/index.ts";
import {
  Extension,
  type ProviderRequest,
  type RawResult,
  type TaskKind,
  type TaskMethod,
  type TaskParams,
} from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { askProvider } from "../offer/provide-resources.ts";
import { Conversation } from "../questions/conversation.ts";
import { RequestRound } from "../questions/round.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { requireAbility, serveRequest, type Work } from "../request/host-request.ts";
import { AS_RECEIVED, type RequestContext } from "../request/request-context.ts";
import { sendable } from "../request/sendable.ts";
import { TASKS_REVISION } from "../server-sdk.ts";
import { keptTask, serverTask, taskIdIn } from "./provide-tasks.ts";

// Tasks of the legacy era (2025-11-25): the client asks for one in its call, later for its state, and waits for the result; while it
// waits, it gets the questions. Behind these requests every task has the form of the extension.

/** A new state of a task. Sent only to the client that follows it. */
export const TASK_STATUS = "notifications/tasks/status";

/** Answers requests of a legacy client about tasks: those kept here, and those of servers of both eras. */
export function provideLegacyTasks(connection: HostConnection): void {
  connection.offersLegacyTasks = true;
  const answer = (
    method: string,
    reply: (request: ProviderRequest, params: unknown) => Promise<RawResult>,
  ): void => {
    connection.server.setRequestHandler(method, { params: AS_RECEIVED }, (params, ctx) => {
      if (!hasTasks(connection)) throw new RpcFailure(RpcCode.METHOD_NOT_FOUND, "Method not found");
      return askProvider(connection, ctx, method, (request) => reply(request, params));
    });
  };
  answer("tasks/get", (request, params) => currentTask(connection, taskIdIn(params), request));
  answer("tasks/result", (request, params) => taskResult(connection, taskIdIn(params), request));
  answer("tasks/cancel", (request, params) => cancelTask(connection, taskIdIn(params), request));
  answer("tasks/list", (request, params) => listTasks(connection, params, request));
}

/** Whether the client of a legacy connection was told about tasks. */
function hasTasks(connection: HostConnection): boolean {
  return connection.offersLegacyTasks && connection.server.getNegotiatedProtocolVersion() === TASKS_REVISION;
}

/** The task that a legacy client asks for in a call. Undefined: the call is a plain one. */
export function wishedTask(connection: HostConnection, params: object): TaskWish | undefined {
  const { task } = params as { readonly task?: unknown };
  if (!isRecord(task) || !hasTasks(connection)) return undefined;
  return typeof task["ttl"] === "number" ? { ttlMs: task["ttl"] } : {};
}

/** How a call of a tool becomes a task for a client that asks for one. */
function kindOf(
  { core, providers: { tasks } }: HostConnection,
  { origin, task }: ToolDescriptor,
): TaskKind | "own" | undefined {
  if (origin) return tasks?.kinds?.().get(origin.server);
  return task && core.tasks ? "own" : undefined;
}

/**
 * The list of tools with those that may be called as tasks: our own that say so, and all of servers with the extension, because an
 * answer at once is kept. A legacy server says so itself.
 */
export function withTaskSupport(
  connection: HostConnection,
  descriptors: readonly ToolDescriptor[],
  result: RawResult,
): RawResult {
  const { tools } = result;
  if (!hasTasks(connection) || !Array.isArray(tools)) return result;
  const kinds = connection.providers.tasks?.kinds?.();
  const isOffered = ({ origin, task }: ToolDescriptor): boolean =>
    origin
      ? kinds?.get(origin.server) === "extension"
      : task !== undefined && connection.core.tasks !== undefined;
  const offered = new Set(descriptors.filter(isOffered).map(({ name }) => name));
  if (offered.size === 0) return result;
  const marked = (tools as readonly RawResult[]).map((tool) =>
    offered.has(String(tool["name"])) ? { ...tool, execution: { taskSupport: "optional" } } : tool,
  );
  return { ...result, tools: marked };
}

export interface WishedCall {
  /** The tool, if it is listed. */
  readonly tool: ToolDescriptor | undefined;
  readonly about: string;
  readonly wish: TaskWish;
}

/** Serves a call as a task. Whatever does not create one itself is kept here. */
export async function callAsTask(
  connection: HostConnection,
  ctx: RequestContext,
  { tool, about, wish }: WishedCall,
  work: Work,
): Promise<RawResult> {
  const { core, taskOwner } = connection;
  const kind = tool && kindOf(connection, tool);
  if (tool && !kind)
    throw new RpcFailure(
      RpcCode.METHOD_NOT_FOUND,
      `tool ${JSON.stringify(tool.name)} cannot be called as a task`,
    );
  // Before the tool runs: its result could not be kept.
  if (kind !== "legacy") core.keptTasks.requireRoom(taskOwner);
  const result =
    kind === "own"
      ? core.keptTasks.adopt(await started(connection, ctx, work), wish)
      : await serveRequest(connection, ctx, about, (caller, signal) => work(followingTasks(caller), signal));
  const created =
    result["resultType"] === "task"
      ? result
      : core.keptTasks.adopt(Conversation.ended(taskOwner, result), wish);
  const { _meta: meta, taskId, ...state } = created;
  const task = shown(connection, String(taskId), state);
  // A legacy server reports the changes of its tasks itself.
  if (kind !== "legacy" && !isEnded(state)) reportChanges(connection, task, connection.caller(ctx));
  return { task, ...(isRecord(meta) && { _meta: meta }) };
}

/** Sends the client each new state of a task until it ends. */
function reportChanges(connection: HostConnection, created: RawResult, caller: Caller): void {
  const { core, taskOwner, providers, server, over } = connection;
  const taskId = String(created["taskId"]);
  const room = core.taskPushes.take(taskOwner, 1);
  let last = created;
  const push = (state: RawResult): void => {
    const task: RawResult = { ...legacyTask(state), taskId };
    const isNew = task["status"] !== last["status"] || task["statusMessage"] !== last["statusMessage"];
    last = task;
    if (isNew) server.notification({ method: TASK_STATUS, params: task }).catch(() => {});
    if (isEnded(state)) end();
  };
  const request = { caller: followingTasks(caller), signal: over };
  const stop = room.isGranted
    ? (core.keptTasks.watch(taskId, taskOwner, push) ?? providers.tasks?.watch?.(taskId, push, request))
    : undefined;
  const unlisten = onAbort(over, () => end());
  const end = (): void => {
    unlisten();
    stop?.();
    room.release();
  };
  if (!stop) end();
}

/** A tool of ours that runs on after its call is answered. */
async function started(connection: HostConnection, ctx: RequestContext, work: Work): Promise<Conversation> {
  const talk = new Conversation(connection.taskOwner, (own) =>
    work(
      {
        ...connection.caller(ctx),
        ask: async (requests, signal) => {
          for (const question of Object.values(requests)) requireAbility(connection, ctx, question);
          return own.ask(sendable(requests), signal);
        },
      },
      own.signal,
    ),
  );
  talk.becomeTask();
  await talk.turn(new RequestRound(ctx));
  return talk;
}

/** A server with the extension creates a task only for a client that declared it, and we translate. */
function followingTasks(caller: Caller): Caller {
  const extensions = { ...caller.can.extensions, [Extension.TASKS]: {} };
  return { ...caller, can: { ...caller.can, task: true, extensions } };
}

async function ask(
  connection: HostConnection,
  method: TaskMethod,
  asked: TaskParams,
  request: ProviderRequest,
): Promise<RawResult> {
  return keptTask(connection, method, asked) ?? serverTask(connection, method, asked, request);
}

/** The state of a task, under the id that the client uses. */
async function currentTask(
  connection: HostConnection,
  taskId: string,
  request: ProviderRequest,
): Promise<RawResult> {
  return shown(connection, taskId, await ask(connection, "tasks/get", { taskId, stateOnly: true }, request));
}

/** A task as the client gets it. From now on it may be listed, and its changes are reported. */
function shown(connection: HostConnection, taskId: string, state: RawResult): RawResult {
  const { core, taskOwner } = connection;
  const task = { ...legacyTask(state), taskId };
  connection.followTask(taskId);
  core.taskRecord.note(taskOwner, taskId, task);
  return task;
}

/** How often the state of a task that is kept here is asked for while a client waits for its result. */
const OWN_POLL_MS = 50;

/** Waits until a task has ended. Its questions are asked meanwhile. */
async function taskResult(
  connection: HostConnection,
  taskId: string,
  request: ProviderRequest,
): Promise<RawResult> {
  const isOwn = keptTask(connection, "tasks/get", { taskId }) !== undefined;
  const asking: ProviderRequest = { ...request, caller: askedAbout(taskId, request.caller) };
  const waiting = isOwn ? undefined : connection.providers.tasks?.wait?.(taskId, asking);
  const waited = waiting && (await waiting);
  if (waited) return withRelatedTask(waited, taskId);
  const answered = new Set<string>();
  for (;;) {
    const state = await ask(connection, "tasks/get", { taskId }, request);
    if (isEnded(state)) return withRelatedTask(endOf(state), taskId);
    const questions = Object.entries(isRecord(state["inputRequests"]) ? state["inputRequests"] : {});
    // A server may show a question for a moment after its answer. It never asks two under one key.
    const open = questions.filter(([key]) => !answered.has(key));
    if (open.length > 0) {
      const inputResponses = await asking.caller.ask?.(Object.fromEntries(open) as Questions, request.signal);
      for (const [key] of open) answered.add(key);
      await ask(connection, "tasks/update", { taskId, inputResponses: inputResponses ?? {} }, request);
    } else await systemClock.sleep(isOwn ? OWN_POLL_MS : pollMs(state), request.signal);
  }
}

/** The caller that is asked the questions of a task, which name it. */
function askedAbout(taskId: string, caller: Caller): Caller {
  const related = (question: Question): Question => ({
    ...question,
    params: withRelatedTask(question.params ?? {}, taskId),
  });
  const asked = (requests: Questions): Questions =>
    Object.fromEntries(Object.entries(requests).map(([key, question]) => [key, related(question)]));
  return { ...caller, ask: async (requests, signal) => caller.ask?.(asked(requests), signal) ?? {} };
}

/** The result of a task that has ended. Throws the error it ended with. */
function endOf({ status, result, error }: RawResult): RawResult {
  if (isRecord(result)) return result;
  if (status === "cancelled")
    throw new RpcFailure(RpcCode.INVALID_PARAMS, "the task was cancelled; it has no result");
  const { code, message, data } = isRecord(error) ? error : {};
  const text = typeof message === "string" ? message : "the task failed";
  throw new RpcFailure(typeof code === "number" ? code : RpcCode.INTERNAL_ERROR, text, data);
}

/** With the extension a cancellation takes effect later. */
const CANCEL_POLLS = 10;
const CANCEL_POLL_MS = 50;

async function cancelTask(
  connection: HostConnection,
  taskId: string,
  request: ProviderRequest,
): Promise<RawResult> {
  requireRunning(await currentTask(connection, taskId, request));
  await ask(connection, "tasks/cancel", { taskId }, request);
  for (let polls = 0; ; polls++) {
    const task = await currentTask(connection, taskId, request);
    if (task["status"] === "cancelled" || polls === CANCEL_POLLS) return task;
    requireRunning(task);
    await systemClock.sleep(CANCEL_POLL_MS, request.signal);
  }
}

function requireRunning(task: RawResult): void {
  if (!isEnded(task)) return;
  const message = `Cannot cancel task in terminal status: ${String(task["status"])}`;
  throw new RpcFailure(RpcCode.INVALID_PARAMS, message);
}

async function listTasks(
  connection: HostConnection,
  params: unknown,
  request: ProviderRequest,
): Promise<RawResult> {
  const { cursor } = isRecord(params) ? params : {};
  const { core, taskOwner } = connection;
  const { tasks, next } = core.taskRecord.page(taskOwner, typeof cursor === "string" ? cursor : undefined);
  const listed = tasks.map(async ([id, known]) => {
    try {
      return await currentTask(connection, id, request);
    } catch (thrown) {
      if (!(thrown instanceof RpcFailure) || thrown.code !== RpcCode.INVALID_PARAMS) return known;
      core.taskRecord.forget(id);
      return [];
    }
  });
  return { tasks: (await Promise.all(listed)).flat(), ...(next !== undefined && { nextCursor: next }) };
}

import { definedMembers, isRecord } from "../../../core/internal.ts";
import type { Answers, Questions, Suspension } from "../../../runtime/index.ts";
import { flatTask, taskKindIn } from "../../content/index.ts";
import {
  type InvokeOptions,
  type InvokeResult,
  ProtocolFault,
  type ToolDefinition,
} from "../../contract/index.ts";
import { paramHeadersOf, paramHeaderValues } from "../../schema/index.ts";
import type { RawSession, TimedRequest } from "../connect/raw-session.ts";
import { asMayHaveRun } from "../faults/error-faults.ts";
import { driveTask, followingTasks, needsTasks } from "./drive-task.ts";
import { isAnswer } from "./question-router.ts";
import { runTask } from "./run-task.ts";

/** Limit on rounds of questions in one call. */
const MAX_ROUNDS = 10;

export interface RemoteCall {
  readonly name: string;
  readonly args: unknown;
  readonly options: InvokeOptions;
  /** The tool's definition, if it is known. */
  readonly definition: ToolDefinition | undefined;
}

type RawResult = { readonly [member: string]: unknown };

/** Calls a tool by its name on the server and returns the server's answer, member by member. */
export async function invokeTool(session: RawSession, call: RemoteCall): Promise<InvokeResult> {
  const { name, args, options, definition } = call;
  const { caller, signal, meta } = options;
  const { server } = session.context;
  const leave = session.questions.enter({ caller, signal });
  let isAnswered = true;
  try {
    let request = requestOf(session, call, {
      name,
      ...(args === undefined ? {} : { arguments: args }),
      ...(meta ? { _meta: meta } : {}),
      ...(caller?.resume && answering(caller.resume.responses, caller.resume.state)),
    });
    if (session.era === "legacy") {
      const task = wishedTask(session, call);
      if (task) return await createTask(session, request, task);
      if (taskSupport(definition) === "required") return toResult(await runTask(session, request));
    }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      let raw: RawResult;
      try {
        raw = (await session.ask(request)) as RawResult;
      } catch (thrown) {
        // After the first round the tool has started.
        if (round > 0) throw asMayHaveRun(thrown);
        // A client of the modern era is told itself what it must declare; for others we follow the task.
        if (caller?.can.suspend || !needsTasks(thrown)) throw thrown;
        request = followingTasks(request);
        raw = (await session.ask(request)) as RawResult;
      }
      if (raw["resultType"] === "task") {
        if (caller?.can.task) return { ...toResult(raw), task: raw };
        const result = await driveTask(session, request, raw, (questions) =>
          answer(session, questions, call),
        );
        return toResult(result);
      }
      if (raw["resultType"] !== "input_required") return toResult(raw);
      const suspended = suspensionOf(raw);
      if (caller?.can.suspend) return { ...toResult(raw), suspended };
      const answers = await answer(session, suspended.requests, call);
      const params = { ...request.params, ...answering(answers, suspended.state) };
      request = { ...request, params, startedMs: performance.now() };
    }
    const message = `tool "${name}" of server "${server}" asked more than ${MAX_ROUNDS} times`;
    throw new ProtocolFault("protocol", message, { server });
  } catch (thrown) {
    isAnswered = isAnswer(thrown);
    throw thrown;
  } finally {
    leave(isAnswered);
  }
}

function requestOf(
  { context: { config, times }, era }: RawSession,
  { options: { signal, caller, onProgress }, definition, args }: RemoteCall,
  params: TimedRequest["params"],
): TimedRequest {
  const hasHeaders = config.kind !== "stdio" && era === "modern";
  const declared = hasHeaders && definition ? paramHeadersOf(definition["inputSchema"]) : undefined;
  return {
    method: "tools/call",
    params,
    signal,
    caller,
    timeoutMs: times.timeoutMs,
    totalMs: times.totalMs,
    lateMs: times.lateMs,
    startedMs: performance.now(),
    headers:
      declared?.ok && declared.headers.length > 0 ? paramHeaderValues(declared.headers, args) : undefined,
    onProgress: (note, token) => {
      onProgress?.(note, token);
      caller?.progress?.(note);
    },
  };
}

function taskSupport(definition: ToolDefinition | undefined): unknown {
  const execution = definition?.["execution"] as { readonly taskSupport?: unknown } | undefined;
  return execution?.taskSupport;
}

/** How long a legacy server should keep a task if its client does not say. */
const TASK_TTL_MS = 60 * 60_000;

/**
 * The `task` of a call to a legacy server. Undefined: the call is a plain one. Whether a tool may run as a task that the caller asks for
 * is for the server to say.
 */
function wishedTask({ capabilities }: RawSession, { options, definition }: RemoteCall): object | undefined {
  const { caller, task } = options;
  if (!caller?.can.task || taskKindIn(capabilities) !== "legacy") return undefined;
  if (task) return task.ttlMs === undefined ? {} : { ttl: task.ttlMs };
  const support = taskSupport(definition);
  return support === "optional" || support === "required" ? { ttl: TASK_TTL_MS } : undefined;
}

/** Calls a tool of a legacy server as a task, for a caller that follows it. */
async function createTask(session: RawSession, request: TimedRequest, task: object): Promise<InvokeResult> {
  const raw = (await session.ask({ ...request, params: { ...request.params, task } })) as RawResult;
  // A server may run the tool anyway and answer with its result.
  if (!isRecord(raw["task"])) return toResult(raw);
  const { task: created, _meta: meta } = raw;
  return { ...toResult(raw), task: { ...flatTask(created), ...(isRecord(meta) && { _meta: meta }) } };
}

/** The parameters of a call that continues with answers to the server's questions. */
function answering(inputResponses: Answers, requestState: string | undefined): object {
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}

function suspensionOf(raw: RawResult): Suspension {
  const { inputRequests, requestState } = raw as {
    readonly inputRequests?: Questions;
    readonly requestState?: unknown;
  };
  const state = typeof requestState === "string" ? requestState : undefined;
  return definedMembers({ requests: inputRequests ?? {}, state });
}

async function answer(
  { context: { server, options: connection }, questions }: RawSession,
  requests: Questions,
  { options, name }: RemoteCall,
): Promise<Answers> {
  const { answers } = connection;
  if (Object.keys(requests).length === 0) return {};
  const { caller, signal } = options;
  if (caller?.ask) return caller.ask(requests, signal);
  if (!caller && answers) return answers.ask(requests, signal, questions.asker);
  const message = `tool "${name}" of server "${server}" asks for input, but no caller can answer`;
  throw new ProtocolFault("tool_error", message, { server, reason: "unsupported" });
}

function toResult(raw: RawResult): InvokeResult {
  const { content, isError, structuredContent, _meta } = raw;
  return {
    content: Array.isArray(content) ? content : [],
    isError: isError === true,
    raw,
    wire: { value: () => raw },
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(typeof _meta === "object" && _meta !== null
      ? { meta: _meta as { readonly [key: string]: unknown } }
      : {}),
  };
}

import type { Answers, Questions, Suspension } from "../../../runtime/index.ts";
import {
  type InvokeOptions,
  type InvokeResult,
  ProtocolFault,
  type QuestionAnswerer,
  type ToolDefinition,
} from "../../contract/index.ts";
import { paramHeadersOf, paramHeaderValues } from "../../schema/index.ts";
import type { RawRequestOptions, RawSession } from "../connect/raw-session.ts";
import type { CallTimes } from "../endpoint-options.ts";
import { asMayHaveRun } from "../faults/error-faults.ts";
import { runTask } from "./run-task.ts";
import { whileEntered } from "./while-entered.ts";

/** Limit on questions in one call. */
const MAX_ROUNDS = 10;

export interface Invocation {
  readonly server: string;
  readonly name: string;
  readonly args: unknown;
  readonly options: InvokeOptions;
  /** The tool's definition, if it is known. */
  readonly definition: ToolDefinition | undefined;
  readonly answers: QuestionAnswerer | undefined;
  readonly times: CallTimes;
  /** True if messages carry headers. */
  readonly isHttp: boolean;
}

type RawResult = { readonly [member: string]: unknown };
type Params = { readonly [member: string]: unknown };

/** Calls a tool by its name on the server and returns the server's answer, member by member. */
export async function invokeTool(session: RawSession, invocation: Invocation): Promise<InvokeResult> {
  const { caller, signal } = invocation.options;
  return whileEntered(session.enter({ caller, signal }), () => call(session, invocation));
}

async function call(session: RawSession, invocation: Invocation): Promise<InvokeResult> {
  const { name, args, options, definition } = invocation;
  const request = requestOptions(session, invocation);
  let params: Params = {
    name,
    ...(args === undefined ? {} : { arguments: args }),
    ...(options.meta ? { _meta: options.meta } : {}),
    ...resumption(options),
  };
  if (needsTask(session, definition)) return toResult(await runTask(session, params, request));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const asking = session.ask("tools/call", params, request);
    // After the first round the tool has started.
    const raw = (await (round === 0 ? asking : asking.catch(rethrowAsMayHaveRun))) as RawResult;
    const suspension = suspensionOf(raw);
    if (!suspension) return toResult(raw);
    if (options.caller?.can.suspend) return { ...toResult(raw), suspended: suspension };
    params = { ...params, ...retryParams(suspension, await answer(suspension.requests, invocation)) };
  }
  const { server } = invocation;
  throw new ProtocolFault(
    "protocol",
    `tool "${name}" of server "${server}" asked more than ${MAX_ROUNDS} times`,
    { server },
  );
}

function rethrowAsMayHaveRun(thrown: unknown): never {
  throw asMayHaveRun(thrown);
}

function requestOptions(
  session: RawSession,
  { options, definition, args, isHttp, times }: Invocation,
): RawRequestOptions {
  const { signal, caller, onProgress } = options;
  const declared =
    isHttp && session.era === "modern" && definition ? paramHeadersOf(definition["inputSchema"]) : undefined;
  const request: { -readonly [member in keyof RawRequestOptions]: RawRequestOptions[member] } = {
    timeoutMs: times.timeoutMs,
    totalMs: times.totalMs,
    lateMs: times.lateMs,
    onProgress: (note, token) => {
      onProgress?.(note, token);
      caller?.progress?.(note);
    },
  };
  if (signal) request.signal = signal;
  if (caller) request.caller = caller;
  if (declared?.ok && declared.headers.length > 0)
    request.headers = paramHeaderValues(declared.headers, args);
  return request;
}

function needsTask(session: RawSession, definition: ToolDefinition | undefined): boolean {
  const execution = definition?.["execution"] as { readonly taskSupport?: unknown } | undefined;
  return session.era === "legacy" && execution?.taskSupport === "required";
}

function resumption({ caller }: InvokeOptions): Params {
  const resume = caller?.resume;
  if (!resume) return {};
  return {
    inputResponses: resume.responses,
    ...(resume.state === undefined ? {} : { requestState: resume.state }),
  };
}

function retryParams({ state }: Suspension, answers: Answers): Params {
  return { inputResponses: answers, ...(state === undefined ? {} : { requestState: state }) };
}

function suspensionOf(raw: RawResult): Suspension | undefined {
  if (raw["resultType"] !== "input_required") return undefined;
  const { inputRequests, requestState } = raw as {
    readonly inputRequests?: Questions;
    readonly requestState?: unknown;
  };
  return {
    requests: inputRequests ?? {},
    ...(typeof requestState === "string" ? { state: requestState } : {}),
  };
}

async function answer(requests: Questions, { options, answers, name, server }: Invocation): Promise<Answers> {
  if (Object.keys(requests).length === 0) return {};
  const { caller, signal } = options;
  if (caller?.ask) return caller.ask(requests, signal);
  if (!caller && answers) return answers.ask(requests, signal, { server });
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

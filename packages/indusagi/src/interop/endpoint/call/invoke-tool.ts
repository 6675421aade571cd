import { definedMembers, isRecord } from "../../../core/internal.ts";
import type { Answers, Questions, Suspension, WireResult } from "../../../runtime/index.ts";
import { flatTask, taskKindIn } from "../../content/index.ts";
import {
  type InvokeOptions,
  type InvokeResult,
  type LinkedFault,
  LinkKey,
  ProtocolFault,
  type ToolDefinition,
} from "../../contract/index.ts";
import { paramHeadersOf, paramHeaderValues } from "../../schema/index.ts";
import { KeptResult, type Reply } from "../../wire/index.ts";
import type { RawSession, TimedRequest } from "../connect/raw-session.ts";
import { asMayHaveRun } from "../faults/error-faults.ts";
import { driveTask, followingTasks, needsTasks } from "./drive-task.ts";
import { type ActiveCall, isAnswer } from "./question-router.ts";
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
export function invokeTool(session: RawSession, call: RemoteCall): Promise<InvokeResult> {
  return new Promise((resolve, reject) => new Invocation(session, call, { resolve, reject }).start());
}

/**
 * One call. Nearly every call is one request and one answer, which needs no other promise than the caller's. Questions and tasks
 * go on in functions that wait.
 */
class Invocation implements Reply, ActiveCall {
  readonly caller: ActiveCall["caller"];
  readonly signal: ActiveCall["signal"];
  /** A client gets the bytes of a large result. Our own code reads its values, so finding the bytes first would be in vain. */
  readonly takesKept: boolean;
  readonly #session: RawSession;
  readonly #call: RemoteCall;
  readonly #end: Ending;
  #request: TimedRequest;
  #entered = 0;

  constructor(session: RawSession, call: RemoteCall, end: Ending) {
    const { name, args, options } = call;
    const { caller, signal } = options;
    const meta = session.context.options.link ? linkedMeta(options) : options.meta;
    this.caller = caller;
    this.takesKept = caller !== undefined;
    this.signal = signal;
    this.#session = session;
    this.#call = call;
    this.#end = end;
    // Not spread, which is slow: every call makes them.
    const params: { [member: string]: unknown } = { name };
    if (args !== undefined) params["arguments"] = args;
    if (meta) params["_meta"] = meta;
    if (caller?.resume) Object.assign(params, answering(caller.resume.responses, caller.resume.state));
    this.#request = requestOf(session, call, params);
  }

  start(): void {
    const session = this.#session;
    this.#entered = session.questions.enter(this);
    if (session.era === "legacy") {
      const task = wishedTask(session, this.#call);
      if (task) return this.#finish(createTask(session, this.#request, task));
      if (taskSupport(this.#call.definition) === "required")
        return this.#finish(runTask(session, this.#request).then(toResult));
    }
    session.start(this.#request, this);
  }

  answered(result: unknown): void {
    const { options, server } = this.#session.context;
    const isKept = result instanceof KeptResult;
    // The other end of a link may tell about a fault in it.
    if (isKept && !(options.link && result.outline.members.has("_meta")))
      return this.#resolve(keptResult(result));
    const raw = isKept ? result.value() : (result as RawResult);
    const fault = options.link ? linkedFault(raw, server) : undefined;
    if (fault) return this.#reject(fault);
    if (!goesOn(raw)) return this.#resolve(toResult(raw));
    this.#finish(this.#continue(raw));
  }

  failed(thrown: unknown): void {
    // A client of the modern era is told itself what it must declare; for others we follow the task.
    if (this.caller?.can.suspend || !needsTasks(thrown)) return this.#reject(thrown);
    this.#request = followingTasks(this.#request);
    this.#finish(this.#session.ask(this.#request).then((raw) => this.#continue(raw as RawResult)));
  }

  #finish(result: Promise<InvokeResult>): void {
    result.then(
      (answer) => this.#resolve(answer),
      (thrown: unknown) => this.#reject(thrown),
    );
  }

  #resolve(answer: InvokeResult): void {
    this.#session.questions.leave(this, this.#entered, true);
    this.#end.resolve(answer);
  }

  #reject(thrown: unknown): void {
    this.#session.questions.leave(this, this.#entered, isAnswer(thrown));
    this.#end.reject(thrown);
  }

  /** Follows a call that goes on as a task, or asks questions, to its end. */
  async #continue(first: RawResult): Promise<InvokeResult> {
    const session = this.#session;
    const { caller } = this;
    let raw = first;
    for (let round = 0; ; round++) {
      if (raw["resultType"] === "task") {
        if (caller?.can.task) return { ...toResult(raw), task: raw };
        const ask = (questions: Questions): Promise<Answers> => answer(session, questions, this.#call);
        return toResult(await driveTask(session, this.#request, raw, ask));
      }
      if (!goesOn(raw)) return toResult(raw);
      const suspended = suspensionOf(raw);
      if (caller?.can.suspend) return { ...toResult(raw), suspended };
      const answers = await answer(session, suspended.requests, this.#call);
      if (round + 1 === MAX_ROUNDS) throw asksTooOften(session, this.#call);
      const params = { ...this.#request.params, ...answering(answers, suspended.state) };
      this.#request = { ...this.#request, params, startedMs: performance.now() };
      try {
        raw = (await session.ask(this.#request)) as RawResult;
      } catch (thrown) {
        throw asMayHaveRun(thrown); // After the first round the tool has started.
      }
    }
  }
}

/** The `_meta` of a call over a link. What a client itself sends under our name means nothing. */
function linkedMeta({ meta, task }: InvokeOptions): InvokeOptions["meta"] {
  if (!task && (!meta || !(LinkKey.TASK in meta))) return meta;
  const { [LinkKey.TASK]: _, ...own } = meta ?? {};
  return { ...own, ...(task && { [LinkKey.TASK]: task }) };
}

/** The fault that the other end of a link tells about. */
function linkedFault({ _meta, content }: RawResult, server: string): ProtocolFault | undefined {
  const told = isRecord(_meta) ? (_meta[LinkKey.FAULT] as LinkedFault | undefined) : undefined;
  if (!told) return undefined;
  const blocks = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : [];
  const message = blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
  const { kind, retrySafe, reason } = told;
  return new ProtocolFault(kind, message, definedMembers({ server, retrySafe, reason }));
}

interface Ending {
  readonly resolve: (answer: InvokeResult) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Whether a result is not the end of its call. */
function goesOn({ resultType }: RawResult): boolean {
  return resultType === "task" || resultType === "input_required";
}

function asksTooOften({ context: { server } }: RawSession, { name }: RemoteCall): ProtocolFault {
  const message = `tool "${name}" of server "${server}" asked more than ${MAX_ROUNDS} times`;
  return new ProtocolFault("protocol", message, { server });
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
    onProgress:
      onProgress || caller?.progress
        ? (note, token) => {
            onProgress?.(note, token);
            caller?.progress?.(note);
          }
        : undefined,
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
  const result: Writable<InvokeResult> = {
    content: Array.isArray(content) ? content : [],
    isError: isError === true,
    raw,
    wire: new ParsedResult(raw),
  };
  if (structuredContent !== undefined) result.structuredContent = structuredContent;
  if (typeof _meta === "object" && _meta !== null) result.meta = _meta as { readonly [key: string]: unknown };
  return result;
}

/** A large result. Its members are parsed when they are read: a gateway passes the bytes on. */
function keptResult(wire: KeptResult): InvokeResult {
  const { members } = wire.outline;
  const result: InvokeResult = {
    isError: wire.isError,
    wire,
    get content() {
      return toResult(wire.value()).content;
    },
    get raw() {
      return wire.value();
    },
  };
  const lazily = (member: "structuredContent" | "meta"): unknown =>
    Object.defineProperty(result, member, { enumerable: true, get: () => toResult(wire.value())[member] });
  if (members.has("structuredContent")) lazily("structuredContent");
  if (members.has("_meta")) lazily("meta");
  return result;
}

type Writable<Value> = { -readonly [Member in keyof Value]: Value[Member] };

class ParsedResult implements WireResult {
  readonly #raw: RawResult;

  constructor(raw: RawResult) {
    this.#raw = raw;
  }

  value(): RawResult {
    return this.#raw;
  }
}

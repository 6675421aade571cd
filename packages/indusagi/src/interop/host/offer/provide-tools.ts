import type { CallToolResult, ListToolsResult } from "@modelcontextprotocol/server";
import { describeError } from "../../../core/index.ts";
import { isRecord } from "../../../core/internal.ts";
import type { ToolDescriptor, ToolOrigin } from "../../../llm/index.ts";
import {
  answeredOutcome,
  argumentsOf,
  blockText,
  type Caller,
  type CallerAbilities,
  failureResult,
  type Suspension,
  type ToolCall,
  type ToolFault,
  type ToolOutcome,
  type ToolResult,
  type WireResult,
} from "../../../runtime/index.ts";
import { lookUpTool } from "../../../runtime/internal.ts";
import { jsonText, toMcpResult, withoutEnvelope } from "../../content/index.ts";
import {
  type CacheHint,
  type LinkedFault,
  LinkKey,
  linkedTaskIn,
  type RawResult,
  toolForLink,
} from "../../contract/index.ts";
import { RpcCode, RpcFailure, upstreamFailure } from "../../wire/index.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { requestMeta, serveRequest, type Work } from "../request/host-request.ts";
import { impliesBudget, jsonValueProblem } from "../request/json-budget.ts";
import { AS_RECEIVED, type RequestContext } from "../request/request-context.ts";
import { sendable, sendableFailure } from "../request/sendable.ts";
import { followTask } from "../tasks/follow-task.ts";
import { requireTasks } from "../tasks/follows-tasks.ts";
import { callAsTask, wishedTask, withTaskSupport } from "../tasks/provide-legacy-tasks.ts";
import { checkArguments, fitsPlainly } from "./argument-check.ts";
import { reportLeftOut } from "./provide-resources.ts";
import { listedTool, toolListing } from "./tool-definitions.ts";

let calls = 0;

/** Answers `tools/list` and `tools/call` from the connection's box. */
export function provideTools(connection: HostConnection): void {
  const { server } = connection;
  // One page with all tools: several clients read only the first.
  server.setRequestHandler("tools/list", async (_request, ctx) => {
    const { result, hint } = await listTools(connection, ctx);
    return (hint ? { ...result, ...hint } : result) as unknown as ListToolsResult;
  });
  // With our schema the handler gets the params as sent. The SDK has checked them, and would otherwise pass a copy
  // without a member named `__proto__`.
  server.setRequestHandler(
    "tools/call",
    { params: AS_RECEIVED },
    async (params, ctx) =>
      (connection.takeSettled(ctx.mcpReq.id) ??
        (await callTool(connection, params as CallParams, ctx))) as CallToolResult,
  );
}

/** The tools as a client gets them. `result` is the same object until they change. */
export interface OfferedTools {
  readonly result: RawResult;
  /** What a modern client is told about the use of the list later. */
  readonly hint: CacheHint | undefined;
}

export async function listTools(connection: HostConnection, ctx: RequestContext): Promise<OfferedTools> {
  const { core, peer, providers } = connection;
  const box = connection.box(ctx);
  await firstListing(connection, ctx);
  const hint = await providers.toolHint?.(connection.caller(ctx));
  const descriptors = box.descriptors();
  const { result: listed, leftOut } = toolListing(descriptors, core.listsAsReceived);
  reportLeftOut(core, "tools", leftOut);
  const result = core.isLinked ? listedForLink(listed) : withTaskSupport(connection, descriptors, listed);
  return { result, hint: peer.era === "modern" ? hint : undefined };
}

function firstListing(connection: HostConnection, ctx: RequestContext): Promise<void> | undefined {
  const { core, peer } = connection;
  const extensions = connection.extensions(ctx);
  const client = { ...connection.client(ctx), era: peer.era, ...(extensions && { extensions }) };
  return core.firstListings.wait(client, peer.isConnection ? connection : undefined);
}

/** A listing is the same object until it changes, so it is written for a link once. */
const linkListings = new WeakMap<RawResult, RawResult>();

function listedForLink(listed: RawResult): RawResult {
  const tools = listed["tools"] as readonly RawResult[];
  const result = linkListings.get(listed) ?? { ...listed, tools: tools.map(toolForLink) };
  linkListings.set(listed, result);
  return result;
}

export interface CallParams {
  readonly name: string;
  readonly arguments?: { readonly [name: string]: unknown };
}

/** Runs a tool for a client. Rejects, or throws, with what becomes a JSON-RPC error. */
export function callTool(
  connection: HostConnection,
  params: CallParams,
  ctx: RequestContext,
): Promise<RawResult> {
  requireBudget(connection, params.arguments);
  const { core } = connection;
  const box = connection.box(ctx);
  const meta = requestMeta(ctx);
  const wish = core.isLinked ? linkedTaskIn(ctx.mcpReq._meta) : wishedTask(connection, params);
  calls += 1;
  const call: ToolCall = {
    id: `call_${calls}`,
    name: params.name,
    input: params.arguments ?? {},
    ...(meta ? { meta } : {}),
    ...(wish ? { task: wish } : {}),
  };
  const about = `tools/call ${params.name}`;
  // The tool has had the call since an earlier round.
  if (ctx.mcpReq.requestState() !== undefined) connection.peer.onGiven?.(ctx.mcpReq.id);
  const work: Work = (caller, signal) => {
    const tool = lookUpTool(box, call.name);
    let isTask = false;
    const answered = (outcome: ToolOutcome): Promise<RawResult> | RawResult => {
      if (outcome.suspended) return inputRequired(outcome.suspended);
      if (outcome.task) {
        const created = createdTask(connection, outcome, tool?.descriptor.origin, caller);
        return isTask ? followTask(connection, created, { caller, signal }) : created;
      }
      const unread = ctx.mcpReq.takesBytes && !caller.asTask ? unreadResult(connection, outcome) : undefined;
      if (unread) return unread;
      const rendered = renderOutcome(outcome, caller.can);
      const result = core.isLinked && outcome.fault ? withFault(rendered, outcome.fault) : rendered;
      // A missing tool may have appeared while the call waited for it.
      return forEra(connection, (tool ?? lookUpTool(box, call.name))?.descriptor, result);
    };
    const run = (each: Caller): Promise<ToolOutcome> => {
      // Its client may have been told that the call was refused.
      if (signal.aborted) return Promise.reject(signal.reason);
      connection.peer.onGiven?.(ctx.mcpReq.id);
      return (tool ?? box.runner).run(call, signal, each);
    };
    const afterMs = taskAfterMs(connection, tool?.descriptor);
    const needsMore = afterMs !== undefined || (tool && needsCheck(tool.descriptor, call));
    if (!needsMore) return run(caller).then(answered);
    const onTask = (): void => void (isTask = true);
    return runChecked(connection, ctx, call, { tool: tool?.descriptor, afterMs, caller, run, onTask }).then(
      answered,
    );
  };
  // Over a link a task has one form, and the other end keeps what did not become one.
  if (!wish || core.isLinked) return serveRequest(connection, ctx, about, work);
  return callAsTask(connection, ctx, { tool: lookUpTool(box, call.name)?.descriptor, about, wish }, work);
}

/** Runs a tool whose arguments may not fit, or that may go on as a task. */
async function runChecked(
  connection: HostConnection,
  ctx: RequestContext,
  call: ToolCall,
  running: TaskCall,
): Promise<ToolOutcome> {
  const { tool, caller, run } = running;
  const refusal = tool && needsCheck(tool, call) ? await misfit(tool, call) : undefined;
  if (refusal) return refusal;
  return running.afterMs === undefined ? run(caller) : runAsTask(connection, ctx, running);
}

/** A task of a server, under the id that its client uses. */
function createdTask(
  { providers: { tasks } }: HostConnection,
  { task = {}, result }: ToolOutcome,
  listed: ToolOrigin | undefined,
  caller: Caller,
): RawResult {
  const { taskId } = task;
  const server = (result.origin ?? listed)?.server;
  if (!tasks || server === undefined || typeof taskId !== "string")
    throw new RpcFailure(RpcCode.INTERNAL_ERROR, "the server created a task that cannot be passed on");
  return {
    ...withoutEnvelope(task),
    resultType: "task",
    taskId: tasks.handleOf({ server, id: taskId }, caller),
  };
}

/** A call of a tool that may run as a task is answered as usual if it ends sooner. */
const TASK_AFTER_MS = 50;

/** After how long a call may go on as a task. Undefined: never. */
function taskAfterMs(
  { core: { tasks } }: HostConnection,
  tool: ToolDescriptor | undefined,
): number | undefined {
  if (tool?.task !== undefined) return tool.task === "required" ? 0 : TASK_AFTER_MS;
  return tasks && Number.isFinite(tasks.afterMs) ? tasks.afterMs : undefined;
}

interface TaskCall {
  /** The tool, if it is listed. */
  readonly tool: ToolDescriptor | undefined;
  /** After how long the call may go on as a task. Undefined: never. */
  readonly afterMs: number | undefined;
  readonly caller: Caller;
  readonly run: (caller: Caller) => Promise<ToolOutcome>;
  /** Called when the call goes on as a task. */
  readonly onTask: () => void;
}

/** Limit on rounds of questions in one call. */
const MAX_ROUNDS = 10;

/** Runs a tool, and lets the call go on as a task if it takes a while. Refuses clients that must follow it and do not. */
async function runAsTask(
  { core, peer, owner }: HostConnection,
  ctx: RequestContext,
  { afterMs, tool, caller, run, onTask }: TaskCall,
): Promise<ToolOutcome> {
  const mode = tool?.task;
  if (mode === "required" && core.tasks && peer.era === "modern") requireTasks(ctx);
  if (!caller.asTask) return run(caller);
  let isTask = false;
  const asTask = (): void => {
    isTask = true;
    onTask();
    caller.asTask?.();
  };
  // A call that would be fine without a task is not ended because there is no room for one.
  const asTaskIfRoom = (): void => {
    if (mode !== undefined || core.tasks?.hasRoomFor(owner)) asTask();
  };
  const timer = setTimeout(asTaskIfRoom, afterMs);
  try {
    let asking: Caller = { ...caller, asTask };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = await run(asking);
      // The questions of a task are part of its state: no request waits to be answered with them.
      if (!isTask || !outcome.suspended || !caller.ask) return outcome;
      const { requests, state } = outcome.suspended;
      const responses = await caller.ask(requests);
      asking = { ...asking, resume: { responses, ...(state !== undefined && { state }) } };
    }
    throw new RpcFailure(RpcCode.INTERNAL_ERROR, `the tool asked more than ${MAX_ROUNDS} times`);
  } finally {
    clearTimeout(timer);
  }
}

/** A mounted tool's server checks the arguments itself. */
function needsCheck(tool: ToolDescriptor, { input }: ToolCall): boolean {
  return !tool.origin && !tool.definition && !fitsPlainly(tool.parameters, input);
}

/** The answer to a call whose arguments do not fit the schema even after the repairs that `defineTool` makes. */
async function misfit({ parameters }: ToolDescriptor, call: ToolCall): Promise<ToolOutcome | undefined> {
  const { id, name } = call;
  const mismatch = await checkArguments(parameters, argumentsOf(call, parameters));
  if (mismatch === undefined) return undefined;
  return answeredOutcome(id, failureResult(`${name}: arguments do not fit: ${mismatch}`));
}

/** Over HTTP the message was measured before it was parsed. */
function requireBudget({ core, peer }: HostConnection, args: unknown): void {
  if (peer.measured && impliesBudget(peer.measured, core.json)) return;
  const problem = jsonValueProblem(args, core.json);
  if (problem !== undefined) throw new RpcFailure(RpcCode.INVALID_PARAMS, problem);
}

function inputRequired({ requests, state }: Suspension): RawResult {
  return {
    resultType: "input_required",
    inputRequests: requests,
    ...(state === undefined ? {} : { requestState: state }),
  };
}

/**
 * An outcome as a `tools/call` result: a mounted tool's result as its server sent it, our own tool's block by block.
 * A JSON-RPC error of an upstream server is thrown as that error. Other failures are results with text, because a
 * model can use text better than a code.
 */
function renderOutcome(outcome: ToolOutcome, can: CallerAbilities): RawResult {
  const { fault, wire } = outcome;
  if (fault?.rpc) throw sendableFailure(upstreamFailure(fault.rpc, can));
  if (fault?.reason === "unknown_tool") throw new RpcFailure(RpcCode.INVALID_PARAMS, textOf(outcome.result));
  try {
    const verbatim = wire?.value();
    if (!isRecord(verbatim)) return sendable(toMcpResult(outcome.result, outcome.isError));
    const own = withoutEnvelope(verbatim);
    if (wire?.bytes && own === verbatim) {
      wires.set(own, wire);
      return own;
    }
    // Also checks an upstream result: from a server in the same process it was never written as JSON.
    return sendable(own);
  } catch (thrown) {
    const text = `the tool's answer cannot be sent: ${describeError(thrown)}`;
    return { content: [{ type: "text", text }], isError: true };
  }
}

/** The other end of a link tells its clients in its own words. */
function withFault(result: RawResult, { kind, retrySafe, reason }: ToolFault): RawResult {
  const fault: LinkedFault = { kind, retrySafe, ...(reason !== undefined && { reason }) };
  return { ...result, _meta: { ...(result["_meta"] as object | undefined), [LinkKey.FAULT]: fault } };
}

/** Upstream results that are sent as they were received, and whose bytes are kept. */
const wires = new WeakMap<RawResult, WireResult>();
/** Those that nobody has parsed. In their place is an empty object. */
const unreadResults = new WeakSet<RawResult>();

/**
 * A large result of a server that is sent without being parsed. Undefined if something in it has to change, or may have to: then it
 * is parsed.
 */
function unreadResult({ peer }: HostConnection, { fault, wire }: ToolOutcome): RawResult | undefined {
  if (fault || !wire?.bytes || !wire.outline) return undefined;
  const { members } = wire.outline;
  const changed = peer.era === "legacy" ? "structuredContent" : "_meta";
  if (members.size === 0 || members.has("resultType") || members.has(changed)) return undefined;
  const result: RawResult = {};
  wires.set(result, wire);
  unreadResults.add(result);
  return result;
}

/** A result that a server sent, and in which nothing was changed. */
export interface ReceivedResult {
  readonly bytes: Uint8Array;
  /** Nobody has parsed it, so only `value` knows its members. */
  readonly isUnread: boolean;
  value(): RawResult;
}

/** The result as it was received. Undefined if its bytes are not kept, or are not what is sent. */
export function receivedResult(result: RawResult): ReceivedResult | undefined {
  const wire = wires.get(result);
  const bytes = wire?.bytes?.();
  if (!wire || !bytes) return undefined;
  return { bytes, isUnread: unreadResults.has(result), value: () => wire.value() as RawResult };
}

function textOf({ content }: ToolResult): string {
  return content
    .map((block) => (block.kind === "text" ? block.text : (blockText(block) ?? jsonText(block.value))))
    .join("\n");
}

/** In the legacy era structured content must be an object; the SDK wraps other values, and values whose listed schema it wraps. */
function forEra(connection: HostConnection, tool: ToolDescriptor | undefined, result: RawResult): RawResult {
  const { peer, core } = connection;
  if (peer.era === "modern" || result["structuredContent"] === undefined) return result;
  const listed = tool && listedTool(tool, core.listsAsReceived)?.["outputSchema"];
  const schema = isRecord(listed) ? listed : undefined;
  const isPlain =
    isRecord(result["structuredContent"]) && (schema === undefined || schema["type"] === "object");
  return isPlain ? result : connection.server.projectCallToolResult(result as CallToolResult, schema);
}

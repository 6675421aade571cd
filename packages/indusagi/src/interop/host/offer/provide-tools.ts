import type { CallToolResult, ListToolsResult, ServerContext } from "@modelcontextprotocol/server";
import { isRecord } from "../../../core/internal.ts";
import { coerceArguments } from "../../../llm/arguments/index.ts";
import type { ToolDescriptor } from "../../../llm/index.ts";
import {
  answeredOutcome,
  failureResult,
  type Suspension,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
} from "../../../runtime/index.ts";
import type { RawResult } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { AS_RECEIVED } from "../request/as-received.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { requestMeta, serveRequest } from "../request/host-request.ts";
import { impliesBudget, jsonValueProblem } from "../request/json-budget.ts";
import { checkArguments, fitsPlainly } from "./argument-check.ts";
import { reportLeftOut } from "./provide-resources.ts";
import { renderOutcome } from "./render-outcome.ts";
import { toolListing, toolNamed } from "./tool-definitions.ts";

let calls = 0;

/** Answers `tools/list` and `tools/call` from the connection's box. */
export function provideTools(connection: HostConnection): void {
  const { server } = connection;
  // One page with all tools: several clients read only the first.
  server.setRequestHandler("tools/list", async (_request, ctx) => {
    const box = connection.box(ctx);
    await firstListing(connection, ctx);
    const { result, leftOut } = toolListing(box.descriptors(), connection.core.listsAsReceived);
    reportLeftOut(connection.core, "tools", leftOut);
    return result as unknown as ListToolsResult;
  });
  // With a schema of ours the handler gets the params as sent; the SDK has checked them and would hand over a copy
  // without a member named `__proto__`.
  server.setRequestHandler(
    "tools/call",
    { params: AS_RECEIVED },
    async (params, ctx) => (await callTool(connection, params as CallParams, ctx)) as CallToolResult,
  );
}

function firstListing(connection: HostConnection, ctx: ServerContext): Promise<void> | undefined {
  const { core, peer } = connection;
  const client = { ...connection.client(ctx), era: peer.era };
  return core.firstListings.wait(client, peer.isConnection ? connection : undefined);
}

interface CallParams {
  readonly name: string;
  readonly arguments?: { readonly [name: string]: unknown };
}

function callTool(connection: HostConnection, params: CallParams, ctx: ServerContext): Promise<RawResult> {
  requireBudget(connection, params.arguments);
  const box = connection.box(ctx);
  const meta = requestMeta(ctx);
  calls += 1;
  const call: ToolCall = {
    id: `call_${calls}`,
    name: params.name,
    input: params.arguments ?? {},
    ...(meta ? { meta } : {}),
  };
  return serveRequest(connection, ctx, `tools/call ${params.name}`, async (caller, signal) => {
    const tool = toolToCheck(box, call);
    const refusal = tool && (await misfit(tool, call));
    const outcome = refusal ?? (await box.runner.run(call, signal, caller));
    if (outcome.suspended) return inputRequired(outcome.suspended);
    const result = renderOutcome(outcome, caller.can);
    return forEra(connection, box.descriptors(), call.name, result);
  });
}

/** The tool of a call, if it is one of ours and its arguments need a check. A mounted tool's server checks them itself. */
function toolToCheck(box: ToolBox, { name, input }: ToolCall): ToolDescriptor | undefined {
  const tool = toolNamed(box.descriptors(), name);
  if (!tool || tool.origin || tool.definition || fitsPlainly(tool.parameters, input)) return undefined;
  return tool;
}

/** The answer to a call whose arguments do not fit the schema, also after the repairs that `defineTool` makes. */
async function misfit(
  { parameters }: ToolDescriptor,
  { id, name, input }: ToolCall,
): Promise<ToolOutcome | undefined> {
  const mismatch = await checkArguments(parameters, coerceArguments(parameters, input));
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

/** In the legacy era structured content must be an object; the SDK wraps other values, and those of a listed schema for them. */
function forEra(
  { peer, server, core }: HostConnection,
  descriptors: readonly ToolDescriptor[],
  name: string,
  result: RawResult,
): RawResult {
  if (peer.era === "modern" || result["structuredContent"] === undefined) return result;
  const listed = toolListing(descriptors, core.listsAsReceived).named.get(name)?.["outputSchema"];
  const schema = isRecord(listed) ? listed : undefined;
  const isPlain =
    isRecord(result["structuredContent"]) && (schema === undefined || schema["type"] === "object");
  return isPlain ? result : server.projectCallToolResult(result as CallToolResult, schema);
}

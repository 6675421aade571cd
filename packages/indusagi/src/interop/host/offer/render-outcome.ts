import { describeError } from "../../../core/index.ts";
import {
  blockText,
  type CallerAbilities,
  type ToolOutcome,
  type ToolResult,
} from "../../../runtime/index.ts";
import { jsonText, toMcpResult } from "../../content/index.ts";
import type { RawResult } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { RpcFailure } from "../request/rpc-failure.ts";
import { sendable, sendableFailure } from "../request/sendable.ts";
import { upstreamFailure } from "./upstream-failure.ts";

/**
 * An outcome as a `tools/call` result: a mounted tool's result as its server sent it, a tool of ours block by block.
 * A JSON-RPC error of an upstream server is thrown as that error. Other failures are results with text, because a
 * model can use text better than a code.
 */
export function renderOutcome(outcome: ToolOutcome, can: CallerAbilities = {}): RawResult {
  const { fault, wire, result } = outcome;
  if (fault?.rpc) throw sendableFailure(upstreamFailure(fault.rpc, can));
  if (fault?.reason === "unknown_tool") throw new RpcFailure(RpcCode.INVALID_PARAMS, textOf(result));
  try {
    const verbatim = wire?.value();
    // Also checks an upstream result: from a server in the same process it was never written as JSON.
    return sendable(isRecord(verbatim) ? withoutEnvelope(verbatim) : toMcpResult(result, outcome.isError));
  } catch (thrown) {
    const text = `the tool's answer cannot be sent: ${describeError(thrown)}`;
    return { content: [{ type: "text", text }], isError: true };
  }
}

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/**
 * Removes what the modern era adds to each result: the mark of a complete result and the identity of the server. The SDK adds
 * both again in that era, and keeps an identity that is there, so a client would take the upstream server for its own.
 */
function withoutEnvelope(result: RawResult): RawResult {
  if (!("resultType" in result)) return result;
  const { resultType: _complete, _meta: meta, ...rest } = result;
  if (!isRecord(meta)) return meta === undefined ? rest : { ...rest, _meta: meta };
  const { [SERVER_INFO]: _identity, ...others } = meta;
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest;
}

function textOf({ content }: ToolResult): string {
  return content
    .map((block) => (block.kind === "text" ? block.text : (blockText(block) ?? jsonText(block.value))))
    .join("\n");
}

function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { describeError } from "../../../core/index.ts";
import { isRecord } from "../../../core/internal.ts";
import {
  blockText,
  type CallerAbilities,
  type ToolOutcome,
  type ToolResult,
} from "../../../runtime/index.ts";
import { jsonText, toMcpResult, withoutEnvelope } from "../../content/index.ts";
import type { RawResult } from "../../contract/index.ts";
import { RpcCode, RpcFailure, upstreamFailure } from "../../wire/index.ts";
import { sendable, sendableFailure } from "../request/sendable.ts";

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

function textOf({ content }: ToolResult): string {
  return content
    .map((block) => (block.kind === "text" ? block.text : (blockText(block) ?? jsonText(block.value))))
    .join("\n");
}

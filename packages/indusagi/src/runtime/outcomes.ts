import type { ToolContentBlock } from "../llm/index.ts";
import type { ToolBox, ToolCall, ToolFault, ToolOutcome, ToolResult } from "./contract/index.ts";
import { blockText, failureResult } from "./results.ts";

/** Folds a single text block to its string and a single json block to its value. Returns any other content unchanged. */
export function foldContent(content: readonly ToolContentBlock[]): unknown {
  const [only] = content;
  if (content.length !== 1 || !only) return content;
  return only.kind === "text" ? only.text : (blockText(only) ?? only.value);
}

/** The outcome of a call that a tool answered. */
export function answeredOutcome(id: string, result: ToolResult): ToolOutcome {
  return { id, output: foldContent(result.content), isError: result.isError === true, result };
}

/** The outcome of a call that no tool answered. A model or a user reads `message`. */
export function faultOutcome(id: string, message: string, fault: ToolFault): ToolOutcome {
  return { id, output: message, isError: true, result: failureResult(message), fault };
}

/** The outcome of an aborted call. `started` means that the tool may already have had effects. */
export function abortedOutcome(id: string, name: string, started: boolean): ToolOutcome {
  const message = started
    ? `${name} was aborted before it answered`
    : `${name} was aborted before it started`;
  return faultOutcome(id, message, { kind: "tool_error", reason: "aborted", retrySafe: !started });
}

/** The outcome of a call to a tool that does not exist. */
export function unknownToolOutcome(id: string, name: string): ToolOutcome {
  const message = `there is no tool named ${JSON.stringify(name)}`;
  return faultOutcome(id, message, { kind: "tool_error", reason: "unknown_tool", retrySafe: true });
}

/** The outcome of a call to a tool that a box does not list: its refusal, or "unknown tool". */
export function unlistedOutcome({ id, name }: ToolCall, refusalOf: ToolBox["refusalOf"]): ToolOutcome {
  const refusal = refusalOf?.(name);
  return refusal ? faultOutcome(id, refusal.message, refusal.fault) : unknownToolOutcome(id, name);
}

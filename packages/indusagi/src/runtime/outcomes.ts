import type { ToolContentBlock } from "../llm/index.ts";
import type { ToolFault, ToolOutcome, ToolResult } from "./contract/index.ts";
import { blockText, failureResult } from "./results.ts";

/** One text block folds to its string, one json block to its value, none or several to the blocks themselves. */
export function foldContent(content: readonly ToolContentBlock[]): unknown {
  const [only] = content;
  if (content.length !== 1 || !only) return content;
  return only.kind === "text" ? only.text : (blockText(only) ?? only.value);
}

/** The outcome of a call that a tool answered. */
export function answeredOutcome(id: string, result: ToolResult): ToolOutcome {
  return { id, output: foldContent(result.content), isError: result.isError === true, result };
}

/** The outcome of a call that no tool answered; `says` is what a model or a person reads about it. */
export function faultOutcome(id: string, message: string, fault: ToolFault): ToolOutcome {
  return { id, output: message, isError: true, result: failureResult(message), fault };
}

/** The outcome of a call that was aborted. `started` says whether the tool may already have done something. */
export function abortedOutcome(id: string, name: string, started: boolean): ToolOutcome {
  const message = started
    ? `${name} was aborted before it answered`
    : `${name} was aborted before it started`;
  return faultOutcome(id, message, { kind: "tool_error", reason: "aborted", retrySafe: !started });
}

/** The outcome of a call for a name that is not in the box. */
export function unknownToolOutcome(id: string, name: string): ToolOutcome {
  const message = `there is no tool named ${JSON.stringify(name)}`;
  return faultOutcome(id, message, { kind: "tool_error", reason: "unknown_tool", retrySafe: true });
}

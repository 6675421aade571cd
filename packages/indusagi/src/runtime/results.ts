import type { ToolContentBlock } from "../llm/index.ts";
import type { ToolBox, ToolCall, ToolFault, ToolOutcome, ToolResult } from "./contract/index.ts";

/** A text answer. */
export function textResult(text: string): ToolResult {
  return { content: [{ kind: "text", text }] };
}

/** A failure. The text should name the thing that failed and what to do. */
export function failureResult(text: string): ToolResult {
  return { content: [{ kind: "text", text }], isError: true };
}

/** A JSON answer. */
export function jsonResult(value: unknown): ToolResult {
  return { content: [{ kind: "json", value }] };
}

/** A block that MCP clients receive as exactly this MCP content block. */
export function mcpBlock(value: {
  readonly type: string;
  readonly [member: string]: unknown;
}): ToolContentBlock {
  return { kind: "json", value, mcp: true };
}

/** The text of a block, including an MCP text block with more members, such as annotations. `undefined` for other blocks. */
export function blockText(block: ToolContentBlock): string | undefined {
  if (block.kind === "text") return block.text;
  if (!block.mcp) return undefined;
  const { type, text } = block.value as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? text : undefined;
}

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

import type { ToolContentBlock } from "../../llm/index.ts";
import type { ToolResult } from "../../runtime/index.ts";
import { MetaKey, type RawResult, type RemoteCallResult } from "../contract/index.ts";

/** Converts a server's answer to `tools/call` to our result. */
export function fromMcpResult({ content, isError, structuredContent, meta }: RemoteCallResult): ToolResult {
  const result: Writable<ToolResult> = { content: fromMcpContent(content) };
  if (isError) result.isError = isError;
  if (structuredContent !== undefined) result.structured = structuredContent;
  if (meta !== undefined) result.meta = meta;
  return result;
}

/** While it is made. Every call makes one, and conditional spreads cost more than the rest. */
type Writable<Value> = { -readonly [Member in keyof Value]: Value[Member] };

/** Converts our result to an answer to `tools/call`. Throws if a value in its content cannot be written as JSON. */
export function toMcpResult({ content, structured, meta }: ToolResult, isError: boolean): RawResult {
  return {
    content: toMcpContent(content, (value) => JSON.stringify(value) ?? "null"),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(isError ? { isError } : {}),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** An MCP content block. Only `type` is certain: servers send block types and members that are newer than this code. */
export interface McpBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * MCP content as our blocks. A text block with no other member becomes text. Any other block is kept whole and marked
 * `mcp`, so annotations, `_meta` and unknown members survive. A value without a `type` is data, not a block.
 * Content that is not an array counts as empty.
 */
export function fromMcpContent(content: unknown): ToolContentBlock[] {
  return Array.isArray(content) ? content.map(fromMcpBlock) : [];
}

/**
 * Our blocks as MCP content: the inverse of `fromMcpContent`. Only the mark `mcp` makes a json block an MCP block
 * again; other data becomes text, written by `writeJson`.
 */
export function toMcpContent(
  content: readonly ToolContentBlock[],
  writeJson: (value: unknown) => string = jsonText,
): McpBlock[] {
  return content.map((block) => {
    if (block.kind === "text") return { type: "text", text: block.text };
    // The mark promises that the value is a block.
    if (block.mcp) return block.value as McpBlock;
    return { type: "text", text: writeJson(block.value) };
  });
}

/** Any value as JSON text. Never throws: if the value cannot be written as JSON, the text says so. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "[value cannot be written as JSON]";
  }
}

function fromMcpBlock(block: unknown): ToolContentBlock {
  if (!isMcpBlock(block)) return { kind: "json", value: block };
  const { type, text } = block;
  const isPlainText = type === "text" && typeof text === "string" && Object.keys(block).length === 2;
  return isPlainText ? { kind: "text", text } : { kind: "json", value: block, mcp: true };
}

function isMcpBlock(value: unknown): value is McpBlock {
  return typeof value === "object" && value !== null && typeof (value as McpBlock).type === "string";
}

/**
 * Removes what the modern era adds to each result: `resultType` and the identity of the server. The SDK adds both again in that
 * era but keeps an existing identity, so a client would mistake the upstream server for its own.
 */
export function withoutEnvelope(result: RawResult): RawResult {
  if (!("resultType" in result)) return result;
  const { resultType: _complete, _meta: meta, ...rest } = result;
  if (typeof meta !== "object" || meta === null || Array.isArray(meta))
    return meta === undefined ? rest : { ...rest, _meta: meta };
  const { [MetaKey.SERVER_INFO]: _identity, ...others } = meta as RawResult;
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest;
}

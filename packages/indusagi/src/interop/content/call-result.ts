import type { ToolResult } from "../../runtime/index.ts";
import type { RawResult, RemoteCallResult } from "../contract/index.ts";
import { fromMcpContent, toMcpContent } from "./content-blocks.ts";

/** A server's answer to `tools/call` as our result. */
export function fromMcpResult({ content, isError, structuredContent, meta }: RemoteCallResult): ToolResult {
  return {
    content: fromMcpContent(content),
    ...(isError ? { isError } : {}),
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** Our result as an answer to `tools/call`. Throws if JSON cannot hold a value in its content. */
export function toMcpResult({ content, structured, meta }: ToolResult, isError: boolean): RawResult {
  return {
    content: toMcpContent(content, (value) => JSON.stringify(value) ?? "null"),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(isError ? { isError } : {}),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

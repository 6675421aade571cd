import type { ToolContentBlock } from "../../llm/index.ts";
import type { ToolResult } from "../../runtime/index.ts";
import type { RemoteCallResult } from "../contract/index.ts";

/** What a server answered as a result of ours. Text becomes text; every other block is kept whole and marked as MCP's. */
export function projectContent({ content, isError, structuredContent, meta }: RemoteCallResult): ToolResult {
  return {
    content: content.map(projectBlock),
    ...(isError ? { isError } : {}),
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
    ...(meta === undefined ? {} : { meta }),
  };
}

function projectBlock(block: unknown): ToolContentBlock {
  const { type, text } = (typeof block === "object" && block !== null ? block : {}) as {
    readonly type?: unknown;
    readonly text?: unknown;
  };
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  return typeof type === "string"
    ? { kind: "json", value: block, mcp: true }
    : { kind: "json", value: block };
}

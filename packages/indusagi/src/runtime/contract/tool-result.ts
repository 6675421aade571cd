import type { ToolContentBlock } from "../../llm/index.ts";

/** What a tool answers. A failure the tool itself reports is an answer too: `isError` with words that help. */
export interface ToolResult {
  /** What a model reads, in order. */
  readonly content: readonly ToolContentBlock[];
  /** The tool could not do what was asked. Absent means it could. */
  readonly isError?: boolean;
  /** The answer as data, matching the descriptor's `outputSchema` where there is one. */
  readonly structured?: unknown;
  /** The result's `_meta`, passed on untouched. */
  readonly meta?: { readonly [key: string]: unknown };
}

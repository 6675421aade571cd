import type { ToolContentBlock } from "../../llm/index.ts";

/** A tool's answer. A failure that the tool reports is an answer too: `isError` and a message that helps. */
export interface ToolResult {
  /** The content for the model, in order. */
  readonly content: readonly ToolContentBlock[];
  /** True if the tool failed. Absent means success. */
  readonly isError?: boolean;
  /** The answer as data. Matches the descriptor's `outputSchema`, if there is one. */
  readonly structured?: unknown;
  /** The result's `_meta`, passed on unchanged. */
  readonly meta?: { readonly [key: string]: unknown };
}

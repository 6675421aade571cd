import type { JsonSchema, ToolAnnotations, ToolDescriptor } from "../../llm/index.ts";
import type { ToolCall, ToolOutcome, ToolResult } from "../../runtime/index.ts";
import type { ToolContext } from "./tool-context.ts";

/** What an author writes to make a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** An object schema. */
  readonly parameters: JsonSchema;
  readonly title?: string;
  readonly annotations?: ToolAnnotations;
  readonly outputSchema?: JsonSchema;
  /**
   * Does the work. `input` is an object for well-behaved callers, but nobody has checked it.
   * Failing is returning `failureResult`; a throw is caught and reported all the same.
   */
  run(input: unknown, ctx: ToolContext): Promise<ToolResult> | ToolResult;
}

/** A tool ready to be listed and called. */
export interface DefinedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** The same frozen object every time. */
  descriptor(): ToolDescriptor;
  /** Serves one call. Always resolves. */
  invoke(call: ToolCall, ctx: ToolContext): Promise<ToolOutcome>;
  /** Serves one call and gives the unfolded answer. Always resolves. */
  execute(input: unknown, ctx: ToolContext): Promise<ToolResult>;
}

import type { JsonSchema, ToolAnnotations, ToolDescriptor } from "../../llm/index.ts";
import type { ToolCall, ToolOutcome, ToolResult } from "../../runtime/index.ts";
import type { ToolContext } from "./tool-context.ts";

/** What an author provides to make a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** An object schema. */
  readonly parameters: JsonSchema;
  readonly title?: string;
  readonly annotations?: ToolAnnotations;
  readonly outputSchema?: JsonSchema;
  /**
   * Does the work. `input` is coerced by `parameters` but not checked, so it may be anything.
   * Return `failureResult` to fail; a throw is caught and reported too.
   */
  run(input: unknown, ctx: ToolContext): Promise<ToolResult> | ToolResult;
}

/** A tool that can be listed and called. */
export interface DefinedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Always the same frozen object. */
  descriptor(): ToolDescriptor;
  /** Runs one call. Always resolves. */
  invoke(call: ToolCall, ctx: ToolContext): Promise<ToolOutcome>;
  /** Runs one call and returns the unfolded result. Always resolves. */
  execute(input: unknown, ctx: ToolContext): Promise<ToolResult>;
}

import type { JsonSchema } from "indusagi/llm";
import type { Caller, RpcError, Suspension, ToolResult } from "indusagi/runtime";

/** What a fixture tool is told about one call. */
export interface FixtureCall {
  readonly input: { readonly [argument: string]: unknown };
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** A tool of the conformance surface: its name is the suite's, exactly. It may throw: the box makes words of it. */
export interface FixtureTool {
  readonly name: string;
  readonly description: string;
  /** Default: no arguments. */
  readonly parameters?: JsonSchema;
  readonly task?: "optional" | "required";
  run(call: FixtureCall): Promise<FixtureAnswer> | FixtureAnswer;
}

/** A tool answers, waits to be called again with what it asked for, or ends with an error of the protocol. */
export type FixtureAnswer = ToolResult | { readonly suspended: Suspension } | { readonly error: RpcError };

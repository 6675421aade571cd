import { coerceArguments } from "../llm/arguments/index.ts";
import type { JsonSchema } from "../llm/index.ts";
import type { ToolCall } from "./contract/index.ts";

interface UsedArguments {
  readonly schema: JsonSchema;
  readonly input: unknown;
  readonly used: unknown;
}

const known = new WeakMap<Pick<ToolCall, "input">, UsedArguments>();

/**
 * The arguments of a call as its tool uses them: coerced to the tool's schema. Cached per call, so a policy checks exactly
 * what runs, and the work is done once. Not for tools of MCP servers, which get the input untouched.
 */
export function argumentsOf(call: Pick<ToolCall, "input">, schema: JsonSchema): unknown {
  const { input } = call;
  const before = known.get(call);
  if (before && before.schema === schema && before.input === input) return before.used;
  const used = coerceArguments(schema, input);
  known.set(call, { schema, input, used });
  return used;
}

/** The same, for the tool that runs: it may modify them, so they are not kept for a repeated call. */
export function takeArguments(call: Pick<ToolCall, "input">, schema: JsonSchema): unknown {
  const used = argumentsOf(call, schema);
  known.delete(call);
  return used;
}

/** Notes that the input of a call is already coerced to this schema. */
export function noteArguments(call: Pick<ToolCall, "input">, schema: JsonSchema): void {
  const { input } = call;
  known.set(call, { schema, input, used: input });
}

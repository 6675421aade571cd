import { closestNames } from "../../../core/index.ts";
import {
  coerceArguments,
  explainMismatch,
  type JsonSchema,
  type ToolCallPart,
  type ToolDescriptor,
} from "../../../llm/index.ts";
import type { ToolFault } from "../../contract/index.ts";

/** A call that can run, or the reason why it cannot, in words for the model. */
export type PreparedCall =
  | {
      readonly kind: "ready";
      readonly part: ToolCallPart;
      readonly tool: ToolDescriptor;
      readonly input: unknown;
    }
  | {
      readonly kind: "refused";
      readonly part: ToolCallPart;
      readonly message: string;
      readonly fault: ToolFault;
    };

export interface KnownTools {
  /** The tools that the model was offered. */
  readonly listed: readonly ToolDescriptor[];
  /** All that it may call. Absent: those that it was offered. */
  readonly callable: (() => readonly ToolDescriptor[]) | undefined;
}

/** Finds the tool and repairs the arguments as far as its schema asks for it. */
export async function prepareCall(
  part: ToolCallPart,
  { listed, callable = () => [] }: KnownTools,
): Promise<PreparedCall> {
  const named = ({ name }: ToolDescriptor): boolean => name === part.name;
  const tool = listed.find(named) ?? callable().find(named);
  if (!tool) {
    const message = await unknownTool(part.name, [...listed, ...callable()]);
    return { kind: "refused", part, message, fault: { ...NOT_RUN, reason: "unknown_tool" } };
  }
  const schema = schemaOf(tool);
  const input = coerceArguments(schema, part.input);
  const problem = brokenJson(input) ?? explainMismatch({ type: "object", ...schema }, input);
  if (problem === undefined) return { kind: "ready", part, tool, input };
  const message = `${part.name} was not run: ${problem}. Call it again with corrected arguments`;
  return { kind: "refused", part, message, fault: { ...NOT_RUN, reason: "bad_arguments" } };
}

const NOT_RUN: ToolFault = { kind: "tool_error", retrySafe: true };

/** The schema of a mounted tool is the one its server sent: what the model gets may be simplified. */
function schemaOf({ definition, parameters }: ToolDescriptor): JsonSchema {
  const own = definition?.["inputSchema"];
  return typeof own === "object" && own !== null && !Array.isArray(own) ? (own as JsonSchema) : parameters;
}

/** Adapters pass on arguments that are not JSON as the text that the model wrote. */
function brokenJson(input: unknown): string | undefined {
  if (typeof input !== "string") return undefined;
  try {
    JSON.parse(input);
    return undefined;
  } catch (error) {
    return `its arguments are not valid JSON (${(error as Error).message})`;
  }
}

async function unknownTool(name: string, tools: readonly ToolDescriptor[]): Promise<string> {
  const similar = await closestNames(name, [...new Set(tools.map((tool) => tool.name))]);
  const hint = similar.length > 0 ? `; did you mean ${similar.join(" or ")}?` : "";
  return `there is no tool named ${JSON.stringify(name)}${hint}`;
}

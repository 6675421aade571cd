import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { projectName, projectSchema, type ToolDescriptor } from "indusagi/llm";
import type { Provider } from "../providers/provider-table.ts";
import { CACHE_MARK, type NameMap } from "./to-prompt.ts";

export interface OfferedTools {
  readonly tools: readonly LanguageModelV3FunctionTool[];
  /** The provider's names by ours. */
  readonly names: NameMap;
  /** Our names by the provider's. */
  readonly ownNames: NameMap;
  /** What was left out, one line each. */
  readonly losses: readonly string[];
}

/** Converts tools to a provider's dialect and limits. */
export function toTools(descriptors: readonly ToolDescriptor[], provider: Provider): OfferedTools {
  const { dialect, maxTools = descriptors.length, hasCacheMarks } = provider;
  const offered = descriptors.slice(0, maxTools);
  const simplified: string[] = [];
  const tools = offered.map((descriptor, index): LanguageModelV3FunctionTool => {
    const projected = projectSchema(descriptor.parameters, dialect);
    if (projected.losses.length > 0) simplified.push(descriptor.name);
    return {
      type: "function",
      name: projectName(descriptor.name, dialect),
      description: descriptor.description,
      inputSchema: projected.schema,
      // Everything up to here is the same in every request of a session.
      ...(hasCacheMarks && index === offered.length - 1 && { providerOptions: CACHE_MARK }),
    };
  });
  const pairs = offered.map(({ name }, index) => [name, tools[index]?.name ?? name] as const);
  return {
    tools,
    names: new Map(pairs),
    ownNames: new Map(pairs.map(([own, theirs]) => [theirs, own])),
    losses: [
      ...lossesOfNumber(descriptors.slice(offered.length), provider),
      ...lossesOfSchemas(simplified, provider),
    ],
  };
}

function lossesOfNumber(left: readonly ToolDescriptor[], { id, maxTools }: Provider): readonly string[] {
  if (left.length === 0) return [];
  const names = left.map(({ name }) => name);
  return [`${id} accepts at most ${maxTools} tools; ${left.length} are not offered: ${firstNames(names)}`];
}

/** One line for all tools: many servers use the same keyword in each of them. */
function lossesOfSchemas(names: readonly string[], { id }: Provider): readonly string[] {
  if (names.length === 0) return [];
  const tools = names.length === 1 ? "1 tool" : `${names.length} tools`;
  return [`${id} does not support everything in the schemas of ${tools}: ${firstNames(names)}`];
}

function firstNames(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(", ")} …` : names.join(", ");
}

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
  /** What the provider does not get, one line each. */
  readonly losses: readonly string[];
}

/** Tools in the dialect and within the limits of a provider. */
export function toTools(descriptors: readonly ToolDescriptor[], provider: Provider): OfferedTools {
  const { dialect, maxTools = descriptors.length, hasCacheMarks } = provider;
  const offered = descriptors.slice(0, maxTools);
  const losses = lossesOfNumber(descriptors, offered, provider);
  const tools = offered.map((descriptor, index): LanguageModelV3FunctionTool => {
    const projected = projectSchema(descriptor.parameters, dialect);
    if (projected.losses.length > 0)
      losses.push(
        `${descriptor.name}: ${projected.losses.length} parts of its schema do not exist for ${provider.id}`,
      );
    return {
      type: "function",
      name: projectName(descriptor.name, dialect),
      description: descriptor.description,
      inputSchema: projected.schema,
      // Everything up to here is the same in each request of a session.
      ...(hasCacheMarks && index === offered.length - 1 && { providerOptions: CACHE_MARK }),
    };
  });
  const pairs = offered.map(({ name }, index) => [name, tools[index]?.name ?? name] as const);
  return {
    tools,
    names: new Map(pairs),
    ownNames: new Map(pairs.map(([own, theirs]) => [theirs, own])),
    losses,
  };
}

function lossesOfNumber(
  all: readonly ToolDescriptor[],
  offered: readonly ToolDescriptor[],
  { id, maxTools }: Provider,
): string[] {
  if (all.length === offered.length) return [];
  const left = all.slice(offered.length).map(({ name }) => name);
  const shown = left.length > 5 ? `${left.slice(0, 5).join(", ")} …` : left.join(", ");
  return [`${id} takes ${maxTools} tools; ${left.length} are not offered: ${shown}`];
}

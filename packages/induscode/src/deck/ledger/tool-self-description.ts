import type { ToolDescriptor } from "indusagi/llm";

/** What a tool says about itself, in the words its server used. */
export interface ToolSelfDescription {
  readonly title: unknown;
  readonly description: unknown;
  readonly annotations: unknown;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

/**
 * A tool's own words: from its definition as received, because what a model is shown is a projection of ours and may
 * change with us. A tool that was never listed by a server has only its descriptor.
 */
export function toolListing(descriptor: ToolDescriptor): ToolSelfDescription {
  const { definition } = descriptor;
  if (!definition) {
    const { title, description, annotations, parameters, outputSchema } = descriptor;
    return { title, description, annotations, inputSchema: parameters, outputSchema };
  }
  return {
    title: definition["title"],
    description: definition["description"],
    annotations: definition["annotations"],
    inputSchema: definition["inputSchema"],
    outputSchema: definition["outputSchema"],
  };
}

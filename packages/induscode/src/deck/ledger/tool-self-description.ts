import type { ToolDescriptor } from "indusagi/llm";

/** The description of a tool as its server sent it. */
export interface ToolSelfDescription {
  readonly title: unknown;
  readonly description: unknown;
  readonly annotations: unknown;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

/**
 * Reads the definition as received: the descriptor that a model sees is our projection, and changes with our code. A tool
 * that no server listed has only its descriptor.
 */
export function selfDescription(descriptor: ToolDescriptor): ToolSelfDescription {
  const { definition } = descriptor;
  if (definition) return definitionForm(definition);
  const { title, description, annotations, parameters, outputSchema } = descriptor;
  return { title, description, annotations, inputSchema: parameters, outputSchema };
}

/** The self-description in a listed definition. */
export function definitionForm(definition: { readonly [member: string]: unknown }): ToolSelfDescription {
  return {
    title: definition["title"],
    description: definition["description"],
    annotations: definition["annotations"],
    inputSchema: definition["inputSchema"],
    outputSchema: definition["outputSchema"],
  };
}

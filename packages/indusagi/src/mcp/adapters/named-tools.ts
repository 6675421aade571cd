import {
  type DialectName,
  type JsonSchema,
  projectName,
  projectSchema,
  type ToolDescriptor,
} from "../../llm/index.ts";
import type { ToolBox } from "../../runtime/index.ts";

/** A tool with the name and schema that a provider accepts. */
export interface NamedTool {
  /** The name that the provider accepts. */
  readonly name: string;
  /** The parameters in the provider's dialect. Its root is an object schema. */
  readonly parameters: ObjectSchema;
  readonly descriptor: ToolDescriptor;
}

/** An object schema. A tool's parameters are one in every dialect. */
export interface ObjectSchema extends JsonSchema {
  readonly type: "object";
}

/** The tools of a box for one provider. They follow changes to the box. */
export interface NamedTools {
  list(): readonly NamedTool[];
  /** The name in the box for a provider's name. Returns an unknown name unchanged. */
  nameInBox(name: string): string;
}

/** Projects the tools of a box for one dialect, again after each change to the box. */
export function nameTools(box: ToolBox, dialect: DialectName): NamedTools {
  let version: readonly ToolDescriptor[] | undefined;
  let tools: ReadonlyMap<string, NamedTool> = new Map();
  const current = (): ReadonlyMap<string, NamedTool> => {
    const descriptors = box.descriptors();
    // The box returns a new array after each change.
    if (version !== descriptors) tools = project(descriptors, dialect);
    version = descriptors;
    return tools;
  };
  return {
    list: () => [...current().values()],
    nameInBox: (name) => current().get(name)?.descriptor.name ?? name,
  };
}

function project(descriptors: readonly ToolDescriptor[], dialect: DialectName): Map<string, NamedTool> {
  const tools = new Map<string, NamedTool>();
  for (const descriptor of descriptors) {
    let name = projectName(descriptor.name, dialect);
    // A name may be chosen to equal the hashed form of another. Then it is hashed again.
    for (let round = 0; tools.has(name); round++) name = projectName(`${descriptor.name} ${round}`, dialect);
    const parameters = projectSchema(descriptor.parameters, dialect).schema as ObjectSchema;
    tools.set(name, { name, parameters, descriptor });
  }
  return tools;
}

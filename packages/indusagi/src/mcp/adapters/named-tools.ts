import {
  type DialectName,
  type JsonSchema,
  projectName,
  projectSchema,
  type ToolDescriptor,
} from "../../llm/index.ts";
import type { ToolBox } from "../../runtime/index.ts";

/** A tool in a provider's words. */
export interface NamedTool {
  /** The name in the provider's grammar. */
  readonly name: string;
  /** The parameters in the provider's dialect. Its root is an object schema. */
  readonly parameters: ObjectSchema;
  readonly descriptor: ToolDescriptor;
}

/** The schema of an object, as tools' parameters are in every dialect. */
export interface ObjectSchema extends JsonSchema {
  readonly type: "object";
}

/** A box's tools in a provider's words. It follows the box. */
export interface NamedTools {
  list(): readonly NamedTool[];
  /** The box's own name for a tool that the provider calls by `name`; what is not known stays as it is. */
  nameInBox(name: string): string;
}

/** Projects the tools of a box, anew whenever the box has changed. */
export function nameTools(box: ToolBox, dialect: DialectName): NamedTools {
  let version: readonly ToolDescriptor[] | undefined;
  let tools: ReadonlyMap<string, NamedTool> = new Map();
  const current = (): ReadonlyMap<string, NamedTool> => {
    const descriptors = box.descriptors();
    // The list's identity is the box's version.
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
    // A name can be made to look like the hash of another; hashing once more is the way out.
    for (let round = 0; tools.has(name); round++) name = projectName(`${descriptor.name} ${round}`, dialect);
    const parameters = projectSchema(descriptor.parameters, dialect).schema as ObjectSchema;
    tools.set(name, { name, parameters, descriptor });
  }
  return tools;
}

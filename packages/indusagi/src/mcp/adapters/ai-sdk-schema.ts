import type { JsonSchema } from "../../llm/index.ts";

/** By this mark the AI SDK knows a JSON Schema that it should use as it is. */
const MARK = Symbol.for("vercel.ai.schema");

/** A schema as the AI SDK takes it, by its types a Standard Schema with its JSON Schema. */
export interface AiSdkSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/**
 * A JSON Schema for the AI SDK, made without importing it. It carries the SDK's own mark, by which the schema reaches
 * the model unchanged, and is a Standard Schema as well, which is what the compiler checks. Arguments are not
 * validated here: the tool's server does that, against the schema it wrote.
 */
export function aiSdkSchema(jsonSchema: JsonSchema): AiSdkSchema {
  const given = (): Record<string, unknown> => jsonSchema;
  const marked = {
    [MARK]: true,
    jsonSchema,
    validate: undefined,
    "~standard": {
      version: 1 as const,
      vendor: "indusagi",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: given, output: given },
    },
  };
  return marked;
}

import { acceptedTypes, coerceArguments, type JsonSchema } from "indusagi/llm";
import type { GivenArgument } from "./given-arguments.ts";

type Members = { readonly [name: string]: unknown };

/** For a property whose type the schema does not name: text that is JSON of an object or a list becomes that value. */
const JSON_TEXT: JsonSchema = { type: ["object", "array"] };

/**
 * The arguments with the types that a tool's schema asks for. A tool gets its arguments unchanged, so `count=5` must
 * become a number here. Where the schema accepts a string, or names no type, the typed text is kept.
 */
export function typedInput(parameters: JsonSchema, given: readonly GivenArgument[]): Members {
  const properties = (parameters["properties"] ?? {}) as Members;
  return Object.fromEntries(
    given.map((argument) => {
      const { name } = argument;
      if (!("text" in argument)) return [name, argument.value];
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const property = acceptedTypes(schema) === undefined ? JSON_TEXT : schema;
      const coerced = coerceArguments({ properties: { [name]: property } }, { [name]: argument.text });
      return [name, (coerced as Members)[name]];
    }),
  );
}

import { isDeepStrictEqual } from "node:util";
import {
  acceptedTypes,
  coerceArguments,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "indusagi/llm";
import { type GivenArgument, parseGivenArguments } from "./given-arguments.ts";

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

/**
 * The words to type after the name of a tool for these arguments: `name=text` where the schema turns the text into the value,
 * `name:=json` elsewhere, or one `--args` if a name cannot start a word.
 */
export function callWords(parameters: JsonSchema, args: JsonObject): readonly string[] {
  const members = Object.entries(args);
  if (members.some(([name]) => !/^[^-={][^=]*$/.test(name) || name.endsWith(":")))
    return ["--args", JSON.stringify(args)];
  return members.map(([name, value]) => {
    const plain = typeof value === "object" ? undefined : `${name}=${String(value)}`;
    return plain !== undefined && isReadAs(parameters, plain, value)
      ? plain
      : `${name}:=${JSON.stringify(value)}`;
  });
}

function isReadAs(parameters: JsonSchema, word: string, value: JsonValue): boolean {
  const parsed = parseGivenArguments([word]);
  if ("problem" in parsed) return false;
  return isDeepStrictEqual(Object.values(typedInput(parameters, parsed.given)), [value]);
}

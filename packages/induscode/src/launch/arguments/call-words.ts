import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonSchema, JsonValue } from "indusagi/llm";
import { parseGivenArguments } from "./given-arguments.ts";
import { typedInput } from "./typed-input.ts";

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

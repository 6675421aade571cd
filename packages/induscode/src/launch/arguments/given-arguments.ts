import { isDeepStrictEqual } from "node:util";
import {
  acceptedTypes,
  coerceArguments,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "indusagi/llm";
import type { UsageProblem } from "../usage-problem.ts";

/** One argument of a tool as typed: a text whose type is not known yet, or a JSON value. */
export type GivenArgument =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly value: unknown };

type GivenArguments = { readonly given: readonly GivenArgument[] } | UsageProblem;

/** Reads `name=text`, `name:=json`, and JSON objects with several arguments. */
export function parseGivenArguments(words: readonly string[]): GivenArguments {
  const given: GivenArgument[] = [];
  for (const word of words) {
    if (isObjectWord(word)) {
      const whole = membersOf(word);
      // Not repeated: it may contain secrets.
      if (!whole)
        return { problem: "the argument that begins with { is not a JSON object; quote it for your shell" };
      given.push(...whole);
      continue;
    }
    const [, name, sign, text = ""] = /^([^=]+?)(:?=)(.*)$/s.exec(word) ?? [];
    if (name === undefined) return { problem: `${JSON.stringify(word)} is not of the form name=value` };
    if (sign === "=") {
      given.push({ name, text });
      continue;
    }
    const parsed = parseJson(text);
    if (!parsed) return { problem: `the text after ${JSON.stringify(`${name}:=`)} is not JSON` };
    given.push({ name, value: parsed.value });
  }
  return { given };
}

/** Reads the arguments of a call from one JSON object. */
export function parseArgumentObject(text: string): GivenArguments {
  const given = membersOf(text);
  return given ? { given } : { problem: "--args takes one JSON object" };
}

/** Whether a word after a tool is a JSON object with arguments. */
export function isObjectWord(word: string): boolean {
  return word.startsWith("{");
}

/** The members of a JSON object. Undefined if the text is none. */
function membersOf(text: string): readonly GivenArgument[] | undefined {
  const value = parseJson(text)?.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).map(([name, member]) => ({ name, value: member }));
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

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

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

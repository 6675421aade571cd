import type { UsageProblem } from "../usage-problem.ts";

/** One argument of a tool as typed: a text whose type is not known yet, or a JSON value. */
export type GivenArgument =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly value: unknown };

type GivenArguments = { readonly given: readonly GivenArgument[] } | UsageProblem;

/** Reads `name=text` and `name:=json`. */
export function parseGivenArguments(words: readonly string[]): GivenArguments {
  const given: GivenArgument[] = [];
  for (const word of words) {
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
  const value = parseJson(text)?.value;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: "--args takes one JSON object" };
  return { given: Object.entries(value).map(([name, member]) => ({ name, value: member })) };
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

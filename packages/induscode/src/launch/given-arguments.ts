/** One argument of a tool as it was typed: a text that is still to be understood, or a value that is certain. */
export type GivenArgument =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly value: unknown };

export type GivenArguments = { readonly given: readonly GivenArgument[] } | { readonly problem: string };

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
    if (!parsed) return { problem: `what follows ${JSON.stringify(`${name}:=`)} is no JSON` };
    given.push({ name, value: parsed.value });
  }
  return { given };
}

/** Reads the arguments of a whole call, given as one JSON object. */
export function parseArgumentObject(text: string): GivenArguments {
  const value = parseJson(text)?.value;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: "--args takes one JSON object" };
  return { given: Object.entries(value).map(([name, member]) => ({ name, value: member })) };
}

/**
 * The arguments without knowing what the tool wants: a list or an object may be given as JSON, anything else is the
 * text itself, which native tools coerce where they want a number.
 */
export function plainInput(given: readonly GivenArgument[]): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    given.map((argument) => [
      argument.name,
      "text" in argument ? listOrObject(argument.text) : argument.value,
    ]),
  );
}

function listOrObject(text: string): unknown {
  return /^\s*[[{]/.test(text) ? (parseJson(text)?.value ?? text) : text;
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

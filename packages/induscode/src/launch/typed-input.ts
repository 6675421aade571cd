import type { JsonSchema } from "indusagi/llm";
import type { GivenArgument } from "./invocation.ts";

/**
 * The arguments with the types that a tool's schema asks for. A mounted tool gets its arguments unchanged, so `count=5`
 * must become a number here. Where the schema accepts a string, or names no type, the typed text is kept.
 */
export function typedInput(
  parameters: JsonSchema,
  given: readonly GivenArgument[],
): { readonly [name: string]: unknown } {
  const properties = (parameters["properties"] ?? {}) as { readonly [name: string]: unknown };
  return Object.fromEntries(
    given.map((argument) => {
      if (!("text" in argument)) return [argument.name, argument.value];
      const schema = Object.hasOwn(properties, argument.name) ? properties[argument.name] : undefined;
      return [argument.name, typedValue(argument.text, kindsOf(schema))];
    }),
  );
}

function typedValue(text: string, kinds: ReadonlySet<string>): unknown {
  if (kinds.has("string")) return text;
  const isOpen = kinds.size === 0;
  if (isOpen && !/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isOpen || kinds.has(kindOf(value)) ? value : text;
  } catch {
    return text;
  }
}

/** The types a schema accepts, including those of its alternatives. Empty: the schema names no type. */
function kindsOf(schema: unknown, depth = 0): ReadonlySet<string> {
  if (typeof schema !== "object" || schema === null || depth > 4) return new Set();
  const { type, anyOf, oneOf, enum: values } = schema as { readonly [keyword: string]: unknown };
  const own = [type].flat().filter((kind) => typeof kind === "string");
  const branches = [anyOf, oneOf].flat().flatMap((branch) => [...kindsOf(branch, depth + 1)]);
  const listed = own.length === 0 && Array.isArray(values) ? values.map(kindOf) : [];
  return new Set([...own, ...branches, ...listed].map((kind) => (kind === "integer" ? "number" : kind)));
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

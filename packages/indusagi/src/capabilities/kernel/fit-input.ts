import type { JsonSchema } from "../../llm/index.ts";

/** Arguments that fit, scalars coerced, or one line that names the field and what it should be. */
export type FittedInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/**
 * Fits arguments to a schema of the plain kind our own tools use: `type`, `properties`, `required`, `items`,
 * `enum`, `minimum`, `maximum`, `minLength`, `maxItems`, `additionalProperties: false`. Other keywords are not looked at.
 *
 * Models send `"5"` for 5 and `"true"` for true; where the schema wants a number or a boolean these are taken for
 * what they mean. An optional member sent as null counts as not sent.
 */
export function fitInput(schema: JsonSchema, input: unknown): FittedInput {
  try {
    return { ok: true, value: fit(schema, input, "") };
  } catch (thrown) {
    if (thrown instanceof Misfit) return { ok: false, problem: thrown.message };
    throw thrown;
  }
}

class Misfit extends Error {}

function fit(schema: JsonSchema, value: unknown, at: string): unknown {
  const fitted = fitType(schema, value, at);
  const allowed = schema["enum"];
  if (Array.isArray(allowed) && !allowed.includes(fitted)) {
    throw new Misfit(
      `${subject(at)} must be one of ${allowed.map((item) => JSON.stringify(item)).join(", ")}`,
    );
  }
  return fitted;
}

function fitType(schema: JsonSchema, value: unknown, at: string): unknown {
  switch (schema["type"]) {
    case "object":
      return fitObject(schema, value, at);
    case "array":
      return fitArray(schema, value, at);
    case "string":
      return fitString(schema, value, at);
    case "integer":
    case "number":
      return fitNumber(schema, value, at);
    case "boolean":
      return fitBoolean(value, at);
    default:
      return value;
  }
}

function fitObject(schema: JsonSchema, value: unknown, at: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw misfit(at, "an object", value);
  const properties = (schema["properties"] ?? {}) as { readonly [name: string]: JsonSchema };
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const fitted: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    const member = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (member === undefined || (member === null && !required.has(name))) {
      if (required.has(name)) throw new Misfit(`${subject(join(at, name))} is missing`);
      continue;
    }
    fitted[name] = fit(properties[name] ?? {}, member, join(at, name));
  }
  if (schema["additionalProperties"] === false) {
    const surplus = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
    if (surplus !== undefined) {
      throw new Misfit(
        `${subject(join(at, surplus))} is not known; known: ${Object.keys(properties).join(", ") || "none"}`,
      );
    }
  }
  return fitted;
}

function fitArray(schema: JsonSchema, value: unknown, at: string): unknown {
  // A list that was sent as its JSON text is taken for the list.
  const list = typeof value === "string" ? parsedArray(value) : value;
  if (!Array.isArray(list)) throw misfit(at, "an array", value);
  const maxItems = schema["maxItems"];
  if (typeof maxItems === "number" && list.length > maxItems) {
    throw new Misfit(`${subject(at)} must have at most ${maxItems} items, got ${list.length}`);
  }
  const items = (schema["items"] ?? {}) as JsonSchema;
  return list.map((item, index) => fit(items, item, `${at}[${index}]`));
}

function fitString(schema: JsonSchema, value: unknown, at: string): string {
  if (typeof value !== "string") throw misfit(at, "a string", value);
  const minLength = schema["minLength"];
  if (typeof minLength === "number" && value.length < minLength)
    throw new Misfit(`${subject(at)} must not be empty`);
  return value;
}

function fitNumber(schema: JsonSchema, value: unknown, at: string): number {
  const wanted = schema["type"] === "integer" ? "a whole number" : "a number";
  const number = typeof value === "string" && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) throw misfit(at, wanted, value);
  if (schema["type"] === "integer" && !Number.isInteger(number)) throw misfit(at, wanted, value);
  const { minimum, maximum } = schema as { readonly minimum?: number; readonly maximum?: number };
  if (minimum !== undefined && number < minimum)
    throw new Misfit(`${subject(at)} must be at least ${minimum}, got ${number}`);
  if (maximum !== undefined && number > maximum)
    throw new Misfit(`${subject(at)} must be at most ${maximum}, got ${number}`);
  return number;
}

function fitBoolean(value: unknown, at: string): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : undefined;
  if (word === "true") return true;
  if (word === "false") return false;
  throw misfit(at, "true or false", value);
}

function parsedArray(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function misfit(at: string, wanted: string, value: unknown): Misfit {
  return new Misfit(`${subject(at)} must be ${wanted}, got ${kindOf(value)}`);
}

function subject(at: string): string {
  return at === "" ? "the arguments" : `"${at}"`;
}

function join(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return "an object";
    default:
      return `a value of type ${typeof value}`;
  }
}

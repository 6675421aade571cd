import { createBoundedPatterns, loadLinearRegex, type MatchPattern } from "../../core/internal.ts";
import { explainMismatch, explainPatternMismatch } from "../arguments/index.ts";
import {
  isObject,
  itemSchema,
  type Members,
  memberSchema,
  requiredNames,
  typesIn,
} from "../arguments/schema-parts.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../contract/index.ts";
import { exampleNumber, exampleTexts } from "./example-values.ts";

/** A schema that requires members of members without end has no example. */
const MAX_DEPTH = 8;
/** A schema that requires more items has no example. */
const MAX_ITEMS = 20;

/**
 * Arguments that fit a schema: its required members with the example, default or first value that the schema names, else
 * with a value made from the type. Undefined if none of the tried values fits.
 */
export async function exampleArguments(parameters: JsonSchema): Promise<JsonObject | undefined> {
  if (needsMore(parameters)) return undefined;
  const matches = hasPattern(parameters) ? await loadMatcher() : undefined;
  const example = exampleMembers(parameters, { name: "", depth: 0, matches });
  return fits(parameters, example, matches) ? example : undefined;
}

/** The root requires one of several sets of members, which `required` alone does not tell. */
function needsMore({ anyOf, oneOf, allOf, $ref }: JsonSchema): boolean {
  return [anyOf, oneOf, allOf, $ref].some((keyword) => keyword !== undefined);
}

function hasPattern(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"pattern');
}

/** The engine is large, and few schemas need it. */
async function loadMatcher(): Promise<MatchPattern> {
  return createBoundedPatterns(await loadLinearRegex()).startCheck();
}

/** Where a value belongs. */
interface Place {
  readonly name: string;
  readonly depth: number;
  readonly matches: MatchPattern | undefined;
}

function exampleMembers(schema: Members, { depth, matches }: Place): JsonObject | undefined {
  const members = requiredNames(schema).map(
    (name) => [name, exampleValue(memberSchema(schema, name), { name, depth: depth + 1, matches })] as const,
  );
  return members.every(hasValue) ? Object.fromEntries(members) : undefined;
}

function hasValue(member: readonly [string, JsonValue | undefined]): member is readonly [string, JsonValue] {
  return member[1] !== undefined;
}

/** The first of the values to try that fits. */
function exampleValue(schema: unknown, place: Place): JsonValue | undefined {
  if (place.depth > MAX_DEPTH) return undefined;
  if (!isObject(schema)) return schema === false ? undefined : exampleTexts({}, place.name)[0];
  const inside = { ...place, depth: place.depth + 1 };
  const values = [
    ...namedValues(schema),
    ...branchesOf(schema).map((branch) => exampleValue(branch, inside)),
    ...valuesOfType(schema, inside),
  ];
  return values.find((value) => value !== undefined && fits(schema, value, place.matches));
}

function fits(schema: Members, value: unknown, matches: MatchPattern | undefined): boolean {
  if (value === undefined || explainMismatch(schema, value) !== undefined) return false;
  return matches === undefined || explainPatternMismatch(schema, value, matches) === undefined;
}

/** The values that a schema itself names, the most telling first. */
function namedValues(schema: Members): readonly JsonValue[] {
  const { examples, default: standard, const: only, enum: allowed } = schema;
  // A schema is JSON, so that its values are.
  return [only, ...listOf(examples), standard, ...listOf(allowed)] as readonly JsonValue[];
}

/** The branches of a union, those without a value last. */
function branchesOf({ anyOf, oneOf, allOf }: Members): readonly unknown[] {
  const branches = [...listOf(anyOf), ...listOf(oneOf), ...listOf(allOf)];
  const isNull = (branch: unknown): boolean => isObject(branch) && branch["type"] === "null";
  return [...branches.filter((branch) => !isNull(branch)), ...branches.filter(isNull)];
}

function valuesOfType(schema: Members, place: Place): readonly (JsonValue | undefined)[] {
  if (UNIONS.some((keyword) => schema[keyword] !== undefined)) return [];
  switch (typesIn(schema).find((each) => each !== "null") ?? typesIn(schema)[0]) {
    case "number":
    case "integer":
      return [exampleNumber(schema)];
    case "boolean":
      return [true, false];
    case "null":
      return [null];
    case "array":
      return [exampleList(schema, place)];
    case "object":
      return [exampleMembers(schema, place)];
    default:
      return isObject(schema["properties"])
        ? [exampleMembers(schema, place)]
        : exampleTexts(schema, place.name);
  }
}

/** Only the branches of such a schema know what it accepts. */
const UNIONS = ["anyOf", "oneOf", "allOf", "$ref", "const", "enum"];

function exampleList(schema: Members, place: Place): JsonValue | undefined {
  const { minItems, maxItems, prefixItems } = schema;
  if (Array.isArray(prefixItems)) {
    const items = prefixItems.map((item) => exampleValue(item, place));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  const least = Math.max(1, typeof minItems === "number" ? minItems : 1);
  const count = typeof maxItems === "number" ? Math.min(least, Math.max(0, maxItems)) : least;
  const item = count > 0 && count <= MAX_ITEMS ? exampleValue(itemSchema(schema), place) : undefined;
  if (item !== undefined) return Array.from({ length: count }, () => item);
  return [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

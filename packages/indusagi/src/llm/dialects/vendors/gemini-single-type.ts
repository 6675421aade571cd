import { isRecord } from "../../../core/internal.ts";
import { type Members, mapMembers, withMembers } from "../../members.ts";
import { unionOf } from "../walk/merge-schemas.ts";
import { appendNote, descend, keywordNote, recordLoss, type SchemaWalk } from "../walk/schema-walk.ts";
import {
  APPLIES_TO,
  DESCRIBABLE_KEYWORDS,
  isOfType,
  SUPPORTED_FORMATS,
  SUPPORTED_KEYWORDS,
} from "./gemini-keywords.ts";

/** Converts any schema to Gemini's dialect. */
export type ProjectGemini = (schema: unknown, walk: SchemaWalk) => Members;

/** A schema of one type being converted, and the notes for its description. */
interface Conversion {
  readonly project: ProjectGemini;
  readonly schema: Members;
  readonly type: string;
  readonly walk: SchemaWalk;
  readonly notes: string[];
}

/** Converts a schema of one type. Keywords that Gemini rejects for that type become notes in the description. */
export function projectSingleType(schema: Members, walk: SchemaWalk, project: ProjectGemini): Members {
  walk.nodes++;
  const conversion: Conversion = { project, schema, type: String(schema["type"]), walk, notes: [] };
  let projected = mapMembers(schema, (value, keyword) => projectMember(value, keyword, conversion));
  if (conversion.type === "array" && projected["items"] === undefined) {
    projected = withMembers(projected, { items: missingItems(conversion) });
  }
  for (const note of conversion.notes) projected = appendNote(projected, note);
  return projected;
}

function projectMember(value: unknown, keyword: string, conversion: Conversion): unknown {
  const types = APPLIES_TO.get(keyword);
  // A keyword for other types has no effect on this one, and Gemini rejects it.
  if (types && !types.has(conversion.type)) return undefined;
  if (SUPPORTED_KEYWORDS.has(keyword)) return value;
  return (BY_VALUE.get(keyword) ?? replaceByNote)(value, conversion, keyword);
}

type ProjectValue = (value: unknown, conversion: Conversion, keyword: string) => unknown;

const BY_VALUE: ReadonlyMap<string, ProjectValue> = new Map<string, ProjectValue>([
  ["properties", projectProperties],
  ["required", declaredOnly],
  ["propertyOrdering", declaredOnly],
  [
    "nullable",
    (value, conversion) =>
      typeof value === "boolean" ? value : replaceByNote(value, conversion, "nullable"),
  ],
  ["items", projectItems],
  ["prefixItems", () => undefined],
  ["enum", projectEnum],
  ["format", projectFormat],
  // For a model, `default: null` equals no default.
  ["default", (value) => value ?? undefined],
]);

function projectProperties(value: unknown, conversion: Conversion): unknown {
  const { walk, project } = conversion;
  const isRoot = walk.path.length === 0;
  const projected = descend(walk, "properties", () =>
    mapMembers(value as Members, (schema, name) => {
      if (schema === false) return recordLoss(walk, name, "dropped");
      return descend(walk, name, () => project(schema, walk));
    }),
  );
  // Below the root, Gemini rejects empty `properties`; an object without the keyword is any object.
  return isRoot || Object.keys(projected).length > 0 ? projected : undefined;
}

function declaredOnly(value: unknown, conversion: Conversion, keyword: string): unknown {
  const properties = conversion.schema["properties"];
  const isDeclared = (name: unknown): boolean => {
    if (typeof name !== "string" || !isRecord(properties)) return false;
    return Object.hasOwn(properties, name) && properties[name] !== false;
  };
  const names: readonly unknown[] = Array.isArray(value) ? value : [];
  const declared = names.filter(isDeclared);
  if (declared.length === names.length && names.length > 0) return value;
  if (names.length > 0) recordLoss(conversion.walk, keyword, "dropped");
  return declared.length > 0 ? declared : undefined;
}

function projectItems(value: unknown, conversion: Conversion): unknown {
  if (value === false || Array.isArray(conversion.schema["prefixItems"])) return undefined;
  return descend(conversion.walk, "items", () => conversion.project(value, conversion.walk));
}

function missingItems({ schema, walk, project }: Conversion): Members {
  const tuple = schema["prefixItems"];
  if (!Array.isArray(tuple)) {
    recordLoss(walk, "items", "narrowed");
    return { type: "string" };
  }
  recordLoss(walk, "prefixItems", "widened");
  const rest = isRecord(schema["items"]) ? [schema["items"]] : [];
  return descend(walk, "items", () => project(unionOf([...tuple, ...rest]), walk));
}

function projectFormat(value: unknown, conversion: Conversion): unknown {
  return SUPPORTED_FORMATS.get(conversion.type)?.has(value)
    ? value
    : replaceByNote(value, conversion, "format");
}

function projectEnum(value: unknown, conversion: Conversion): unknown {
  const all = value as readonly unknown[];
  const values = all.filter((each) => isOfType(each, conversion.type));
  // Gemini accepts only strings, and rejects the whole request for an empty one.
  const isSupported = conversion.type === "string" && values.length > 0 && !values.includes("");
  if (!isSupported) return replaceByNote(values, conversion, "enum");
  return values.length === all.length ? value : values;
}

/** Keyword values that restrict nothing, so removing them is not a loss. */
const NO_EFFECT: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["additionalProperties", true],
  ["deprecated", false],
  ["uniqueItems", false],
]);

function replaceByNote(value: unknown, conversion: Conversion, keyword: string): undefined {
  if (NO_EFFECT.has(keyword) && NO_EFFECT.get(keyword) === value) return;
  const isHelpful = DESCRIBABLE_KEYWORDS.has(keyword) && value !== false;
  const note = isHelpful ? keywordNote(keyword, value) : undefined;
  recordLoss(conversion.walk, keyword, note === undefined ? "dropped" : "moved");
  if (note !== undefined) conversion.notes.push(note);
}

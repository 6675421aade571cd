import { describeMore, remarkOf } from "../walk/describe-more.ts";
import { isRecord, type Members, mapMembers, withMembers } from "../walk/members.ts";
import { giveUp, inside, type SchemaWalk } from "../walk/schema-walk.ts";
import { unionOf } from "../walk/union-of.ts";
import { FORMATS, SAYABLE, SPEAKS_OF, TAKEN } from "./gemini-keywords.ts";
import { isOfType } from "./gemini-types.ts";

/** Puts any schema into Gemini's words. */
export type ProjectGemini = (schema: unknown, walk: SchemaWalk) => Members;

/** A place in a schema of one type, and what could only be said in words there. */
interface Place {
  readonly project: ProjectGemini;
  readonly schema: Members;
  readonly type: string;
  readonly walk: SchemaWalk;
  readonly remarks: string[];
}

/** A schema of one type with the keywords that are taken beside that type; the others become words. */
export function ofOneType(schema: Members, walk: SchemaWalk, project: ProjectGemini): Members {
  walk.nodes++;
  const place: Place = { project, schema, type: String(schema["type"]), walk, remarks: [] };
  let projected = mapMembers(schema, (value, keyword) => projectMember(value, keyword, place));
  if (place.type === "array" && projected["items"] === undefined) {
    projected = withMembers(projected, { items: missingItems(place) });
  }
  for (const remark of place.remarks) projected = describeMore(projected, remark);
  return projected;
}

function projectMember(value: unknown, keyword: string, place: Place): unknown {
  const types = SPEAKS_OF.get(keyword);
  // A keyword about other types says nothing of this one, and is refused beside it.
  if (types && !types.has(place.type)) return undefined;
  if (TAKEN.has(keyword)) return value;
  return (BY_VALUE.get(keyword) ?? refuse)(value, place, keyword);
}

type ProjectValue = (value: unknown, place: Place, keyword: string) => unknown;

const BY_VALUE: ReadonlyMap<string, ProjectValue> = new Map<string, ProjectValue>([
  ["properties", projectProperties],
  ["required", declaredOnly],
  ["propertyOrdering", declaredOnly],
  ["nullable", (value, place) => (typeof value === "boolean" ? value : refuse(value, place, "nullable"))],
  ["items", projectItems],
  ["prefixItems", () => undefined],
  ["enum", projectEnum],
  ["format", takenFormat],
  // To a model, no default and none are the same.
  ["default", (value) => value ?? undefined],
]);

function projectProperties(value: unknown, place: Place): unknown {
  const { walk, project } = place;
  const isRoot = walk.path.length === 0;
  const projected = inside(walk, "properties", () =>
    mapMembers(value as Members, (schema, name) => {
      if (schema === false) return giveUp(walk, name, "dropped");
      return inside(walk, name, () => project(schema, walk));
    }),
  );
  // Elsewhere an object of no properties is refused, while one that does not mention them is any object.
  return isRoot || Object.keys(projected).length > 0 ? projected : undefined;
}

function declaredOnly(value: unknown, place: Place, keyword: string): unknown {
  const properties = place.schema["properties"];
  const isDeclared = (name: unknown): boolean => {
    if (typeof name !== "string" || !isRecord(properties)) return false;
    return Object.hasOwn(properties, name) && properties[name] !== false;
  };
  const names: readonly unknown[] = Array.isArray(value) ? value : [];
  const declared = names.filter(isDeclared);
  if (declared.length === names.length && names.length > 0) return value;
  if (names.length > 0) giveUp(place.walk, keyword, "dropped");
  return declared.length > 0 ? declared : undefined;
}

function projectItems(value: unknown, place: Place): unknown {
  if (value === false || Array.isArray(place.schema["prefixItems"])) return undefined;
  return inside(place.walk, "items", () => place.project(value, place.walk));
}

function missingItems({ schema, walk, project }: Place): Members {
  const tuple = schema["prefixItems"];
  if (!Array.isArray(tuple)) {
    giveUp(walk, "items", "narrowed");
    return { type: "string" };
  }
  giveUp(walk, "prefixItems", "widened");
  const rest = isRecord(schema["items"]) ? [schema["items"]] : [];
  return inside(walk, "items", () => project(unionOf([...tuple, ...rest]), walk));
}

function takenFormat(value: unknown, place: Place): unknown {
  return FORMATS.get(place.type)?.has(value) ? value : refuse(value, place, "format");
}

function projectEnum(value: unknown, place: Place): unknown {
  const all = value as readonly unknown[];
  const values = all.filter((each) => isOfType(each, place.type));
  // Only strings are taken, and an empty one refuses the whole request.
  const isTaken = place.type === "string" && values.length > 0 && !values.includes("");
  if (!isTaken) return refuse(values, place, "enum");
  return values.length === all.length ? value : values;
}

/** Keywords that a boolean turns off, or that are not worth a word when it is all they say. */
const UNSAID: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["additionalProperties", true],
  ["deprecated", false],
  ["uniqueItems", false],
]);

function refuse(value: unknown, place: Place, keyword: string): undefined {
  if (UNSAID.has(keyword) && UNSAID.get(keyword) === value) return;
  const isWorthAWord = SAYABLE.has(keyword) && value !== false;
  const remark = isWorthAWord ? remarkOf(keyword, value) : undefined;
  giveUp(place.walk, keyword, remark === undefined ? "dropped" : "moved");
  if (remark !== undefined) place.remarks.push(remark);
}

import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../contract/index.ts";
import { type Members, setMember, withMembers } from "../members.ts";
import type { DialectName, SchemaLoss, SchemaProjection } from "./dialect.ts";
import { asLeaf, type PortableWalk, type SubSchema, startWalk } from "./portable/portable-walk.ts";
import { projectPortable } from "./portable/project-portable.ts";
import { projectAnthropic } from "./vendors/anthropic.ts";
import { projectGemini } from "./vendors/gemini.ts";
import { projectOpenai } from "./vendors/openai.ts";
import { exceededLimit, SCHEMA_BUDGET } from "./walk/schema-budget.ts";
import { isOverBudget, recordLoss, type SchemaWalk } from "./walk/schema-walk.ts";

/**
 * Converts a tool's schema to a dialect and lists what was lost.
 *
 * Total and pure: accepts any value; never mutates, fetches or throws. A schema that is already legal is returned as the
 * same object, so projecting twice equals projecting once. The root of the result is always an object schema.
 */
export function projectSchema(schema: unknown, dialect: DialectName): SchemaProjection {
  if (!isRecord(schema)) return projectNonObject(schema);
  const limit = exceededLimit(schema);
  // A schema that is too deep can be cut at that depth. Too many nodes or bytes have no place to cut.
  const projection = limit === undefined || limit === "depth" ? projectFully(schema, dialect) : undefined;
  return projection ?? projectOutline(schema, dialect);
}

const DIALECTS: { readonly [dialect in DialectName]: (root: JsonSchema, walk: SchemaWalk) => JsonSchema } = {
  portable: (root) => root,
  anthropic: projectAnthropic,
  openai: projectOpenai,
  gemini: projectGemini,
};

/** Limits for nested references, tried in this order until the result fits the budget. */
const REF_DEPTHS: readonly number[] = [SCHEMA_BUDGET.depth, 4, 2, 1, 0];

function projectFully(schema: JsonSchema, dialect: DialectName): SchemaProjection | undefined {
  for (const maxRefDepth of REF_DEPTHS) {
    const walk = startWalk(schema, maxRefDepth);
    const projected = projectInto(schema, dialect, walk);
    if (projected && (projected === schema || exceededLimit(projected) === undefined)) {
      return { schema: projected, losses: walk.losses };
    }
    if (walk.refsSeen === 0) return undefined;
  }
  return undefined;
}

function projectInto(schema: JsonSchema, dialect: DialectName, walk: PortableWalk): JsonSchema | undefined {
  const portable = objectRoot(projectPortable(schema, walk), walk);
  if (isOverBudget(walk)) return undefined;
  walk.nodes = 0;
  const projected = DIALECTS[dialect](portable, walk);
  return isOverBudget(walk) ? undefined : projected;
}

/** Keeps the names, types and descriptions of the parameters, if at least those fit the budget. */
function projectOutline(schema: JsonSchema, dialect: DialectName): SchemaProjection {
  const losses: SchemaLoss[] = [{ at: "", keyword: "", why: "over_budget" }];
  const outline = outlineOf(schema);
  if (exceededLimit(outline) !== undefined) return { schema: openObject(), losses };
  const projection = projectFully(outline, dialect);
  return projection
    ? { schema: projection.schema, losses: [...losses, ...projection.losses] }
    : { schema: openObject(), losses };
}

function outlineOf(schema: JsonSchema): JsonSchema {
  const properties: Members = {};
  const given = isRecord(schema["properties"]) ? schema["properties"] : {};
  for (const name of Object.keys(given)) setMember(properties, name, asLeaf(given[name]));
  const { required } = schema;
  return { ...(asLeaf(schema) as Members), properties, ...(Array.isArray(required) ? { required } : {}) };
}

function projectNonObject(schema: unknown): SchemaProjection {
  const isOpen = schema === undefined || schema === true;
  return { schema: openObject(), losses: isOpen ? [] : [{ at: "", keyword: "", why: "malformed" }] };
}

/** A schema that accepts any arguments. */
function openObject(): JsonSchema {
  return { type: "object", properties: {} };
}

/** Makes the root an object schema with `properties`: a tool's arguments are always an object. */
function objectRoot(schema: SubSchema, walk: SchemaWalk): JsonSchema {
  if (!isRecord(schema)) {
    if (!schema) recordLoss(walk, "", "root");
    return openObject();
  }
  const typed = schema["type"] === "object" ? schema : withObjectType(schema, walk);
  return isRecord(typed["properties"]) ? typed : withMembers(typed, { properties: {} });
}

function withObjectType(schema: Members, walk: SchemaWalk): Members {
  const type = schema["type"];
  if (type === undefined) return withMembers({ type: "object" }, schema);
  const allowsObject = Array.isArray(type) && type.includes("object");
  if (!allowsObject) recordLoss(walk, "type", "root");
  return withMembers(schema, { type: "object" });
}

import type { JsonSchema } from "../contract/index.ts";
import type { DialectName, SchemaLoss, SchemaProjection } from "./dialect.ts";
import { objectRoot, openObject } from "./portable/object-root.ts";
import { projectPortable } from "./portable/portable.ts";
import { leafOf, type PortableWalk, startWalk } from "./portable/portable-walk.ts";
import { projectAnthropic } from "./vendors/anthropic.ts";
import { projectGemini } from "./vendors/gemini.ts";
import { projectOpenai } from "./vendors/openai.ts";
import { isRecord, type Members, setMember } from "./walk/members.ts";
import { passedLimit, SCHEMA_BUDGET } from "./walk/schema-budget.ts";
import { isOverrun, type SchemaWalk } from "./walk/schema-walk.ts";

/**
 * A tool's schema in the words of a dialect, with a list of what those words could not hold.
 *
 * Total and pure: any value is taken, nothing is mutated, fetched or thrown. A schema that is legal already comes back
 * as the very object it was, so projecting twice is projecting once. The root is always an object schema.
 */
export function projectSchema(schema: unknown, dialect: DialectName): SchemaProjection {
  if (!isRecord(schema)) return fromNothing(schema);
  const limit = passedLimit(schema);
  // Too deep can be cut where it is too deep; too many or too much has no such place.
  const projection = limit === undefined || limit === "depth" ? fromWhole(schema, dialect) : undefined;
  return projection ?? fromSurface(schema, dialect);
}

const DIALECTS: { readonly [dialect in DialectName]: (root: JsonSchema, walk: SchemaWalk) => JsonSchema } = {
  portable: (root) => root,
  anthropic: projectAnthropic,
  openai: projectOpenai,
  gemini: projectGemini,
};

/** How many references may be followed inside one another; fewer and fewer, until the result fits. */
const REFERENCE_DEPTHS: readonly number[] = [SCHEMA_BUDGET.depth, 4, 2, 1, 0];

function fromWhole(schema: JsonSchema, dialect: DialectName): SchemaProjection | undefined {
  for (const maxRefs of REFERENCE_DEPTHS) {
    const walk = startWalk(schema, maxRefs);
    const projected = walkTwice(schema, dialect, walk);
    if (projected && (projected === schema || passedLimit(projected) === undefined)) {
      return { schema: projected, losses: walk.losses };
    }
    if (walk.met === 0) return undefined;
  }
  return undefined;
}

function walkTwice(schema: JsonSchema, dialect: DialectName, walk: PortableWalk): JsonSchema | undefined {
  const portable = objectRoot(projectPortable(schema, walk), walk);
  if (isOverrun(walk)) return undefined;
  walk.nodes = 0;
  const projected = DIALECTS[dialect](portable, walk);
  return isOverrun(walk) ? undefined : projected;
}

/** The names of the parameters with their types and words, if at least those fit. */
function fromSurface(schema: JsonSchema, dialect: DialectName): SchemaProjection {
  const losses: SchemaLoss[] = [{ at: "", keyword: "", why: "over_budget" }];
  const surface = surfaceOf(schema);
  if (passedLimit(surface) !== undefined) return { schema: openObject(), losses };
  const projection = fromWhole(surface, dialect);
  return projection
    ? { schema: projection.schema, losses: [...losses, ...projection.losses] }
    : { schema: openObject(), losses };
}

function surfaceOf(schema: JsonSchema): JsonSchema {
  const properties: Members = {};
  const given = isRecord(schema["properties"]) ? schema["properties"] : {};
  for (const name of Object.keys(given)) setMember(properties, name, leafOf(given[name]));
  const { required } = schema;
  return { ...(leafOf(schema) as Members), properties, ...(Array.isArray(required) ? { required } : {}) };
}

function fromNothing(schema: unknown): SchemaProjection {
  const isOpen = schema === undefined || schema === true;
  return { schema: openObject(), losses: isOpen ? [] : [{ at: "", keyword: "", why: "malformed" }] };
}

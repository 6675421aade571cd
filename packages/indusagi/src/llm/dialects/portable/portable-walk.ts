import { isRecord } from "../../../core/internal.ts";
import type { RefTarget } from "../../arguments/schema-parts.ts";
import type { JsonSchema } from "../../contract/index.ts";
import { type Members, setMember, withoutMembers } from "../../members.ts";
import { JSON_TYPES, KEYWORD_GROUPS } from "../../schema-keywords.ts";
import { recordLoss, type SchemaWalk } from "../walk/schema-walk.ts";

/** A schema below the root, which may be a boolean. */
export type SubSchema = Members | boolean;

/** The state of a walk that converts a schema to portable form. */
export interface PortableWalk extends SchemaWalk {
  readonly root: JsonSchema;
  /** How many nested references may be followed. */
  readonly maxRefDepth: number;
  /** The targets of the references seen so far. */
  readonly targets: Map<string, RefTarget>;
  /** The schemas around the current position. A reference to one of them is recursive. */
  readonly ancestors: unknown[];
  /** The number of objects and arrays around the current position, including itself. */
  depth: number;
  /** The number of references being followed at the current position. */
  refDepth: number;
  /** The number of references seen in total. */
  refsSeen: number;
}

/** Starts a walk at `root`. */
export function startWalk(root: JsonSchema, maxRefDepth: number): PortableWalk {
  return {
    root,
    maxRefDepth,
    losses: [],
    path: [],
    lossCount: 0,
    nodes: 0,
    targets: new Map(),
    ancestors: [],
    loosened: new Set(),
    depth: 1,
    refDepth: 0,
    refsSeen: 0,
  };
}

/** Reduces a schema that cannot be shown in full to type, title and description. Accepts everything it accepted. */
export function asLeaf(schema: unknown): SubSchema {
  if (!isRecord(schema)) return true;
  const leaf: Members = {};
  if (typeof schema["type"] === "string" && JSON_TYPES.has(schema["type"])) leaf["type"] = schema["type"];
  for (const keyword of ["title", "description"]) {
    if (typeof schema[keyword] === "string") leaf[keyword] = schema[keyword];
  }
  return leaf;
}

/**
 * Relaxes keywords that depend on a part of the schema that became looser. Left as they are, `oneOf` with looser branches
 * and `unevaluated…` with fewer neighbours could reject what the given schema accepts.
 */
export function relaxDependents(schema: SubSchema, walk: SchemaWalk): SubSchema {
  if (!isRecord(schema)) return schema;
  const relaxed = walk.loosened.delete(schema["oneOf"]) ? oneOfAsAnyOf(schema, walk) : schema;
  const unevaluated = ["unevaluatedProperties", "unevaluatedItems"].filter((keyword) =>
    Object.hasOwn(relaxed, keyword),
  );
  for (const keyword of unevaluated) recordLoss(walk, keyword, "widened");
  const orphans = KEYWORD_GROUPS.flatMap(([head, ...others]) =>
    Object.hasOwn(relaxed, head) ? [] : others.filter((keyword) => Object.hasOwn(relaxed, keyword)),
  );
  const removed = [...unevaluated, ...orphans];
  return removed.length > 0 ? withoutMembers(relaxed, ...removed) : relaxed;
}

function oneOfAsAnyOf(schema: Members, walk: SchemaWalk): Members {
  recordLoss(walk, "oneOf", "widened");
  const canBecomeAnyOf = !Object.hasOwn(schema, "anyOf");
  const relaxed: Members = {};
  for (const keyword of Object.keys(schema)) {
    if (keyword !== "oneOf") setMember(relaxed, keyword, schema[keyword]);
    else if (canBecomeAnyOf) relaxed["anyOf"] = schema[keyword];
  }
  if (canBecomeAnyOf) return relaxed;
  const others = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  relaxed["allOf"] = [...others, { anyOf: schema["oneOf"] }];
  return relaxed;
}

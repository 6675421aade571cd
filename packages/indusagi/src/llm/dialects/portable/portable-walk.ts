import type { JsonSchema } from "../../contract/index.ts";
import { JSON_TYPES } from "../walk/keyword-table.ts";
import { isRecord, type Members } from "../walk/members.ts";
import type { RefTarget } from "../walk/resolve-pointer.ts";
import type { SchemaWalk } from "../walk/schema-walk.ts";

/** A schema below the root: booleans are schemas too. */
export type SubSchema = Members | boolean;

/** The state of a walk that makes a schema portable. */
export interface PortableWalk extends SchemaWalk {
  readonly root: JsonSchema;
  /** How many references may be followed inside one another. */
  readonly maxRefs: number;
  /** Where the references met so far lead. */
  readonly targets: Map<string, RefTarget>;
  /** The schemas it stands inside of: a reference to one of them is recursion. */
  readonly ancestors: unknown[];
  /** How many objects and arrays the place where it stands is nested in, itself included. */
  depth: number;
  /** How many references it stands inside of. */
  refs: number;
  /** How many references it has met. */
  met: number;
}

/** A fresh walk from `root`. */
export function startWalk(root: JsonSchema, maxRefs: number): PortableWalk {
  return {
    root,
    maxRefs,
    losses: [],
    path: [],
    given: 0,
    nodes: 0,
    targets: new Map(),
    ancestors: [],
    loosened: new Set(),
    depth: 1,
    refs: 0,
    met: 0,
  };
}

/** What remains of a schema that cannot be shown in full: its type and its words. What it accepted is still accepted. */
export function leafOf(schema: unknown): SubSchema {
  if (!isRecord(schema)) return true;
  const leaf: Members = {};
  if (typeof schema["type"] === "string" && JSON_TYPES.has(schema["type"])) leaf["type"] = schema["type"];
  for (const keyword of ["title", "description"]) {
    if (typeof schema[keyword] === "string") leaf[keyword] = schema[keyword];
  }
  return leaf;
}

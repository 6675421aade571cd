import { refName, resolvePointer } from "../../arguments/json-pointer.ts";
import type { LossReason } from "../dialect.ts";
import { appendNote } from "../walk/description-notes.ts";
import { isAssertion } from "../walk/keyword-table.ts";
import { isRecord, type Members, withMembers, withoutMembers } from "../walk/members.ts";
import { recordLoss } from "../walk/schema-walk.ts";
import { asLeaf, type PortableWalk, type SubSchema } from "./portable-walk.ts";

/** Converts one schema to portable form. */
export type Project = (schema: unknown, walk: PortableWalk) => SubSchema;

/** Replaces a `$ref` with its target, combined with the keywords beside it. */
export function followRef(schema: Members, walk: PortableWalk, project: Project): SubSchema {
  const ref = String(schema["$ref"]);
  const beside = withoutMembers(schema, "$ref");
  walk.refsSeen++;
  const target = projectTarget(ref, walk, project);
  if (Object.keys(beside).length === 0) return target;
  const combined = combine(target, project(beside, walk));
  // Two schemas were counted; combining them may have left one.
  walk.nodes--;
  return combined;
}

function projectTarget(ref: string, walk: PortableWalk, project: Project): SubSchema {
  const target = walk.targets.get(ref) ?? resolvePointer(walk.root, ref);
  walk.targets.set(ref, target);
  if (typeof target === "string") return withLoss({}, target, walk);
  const { value } = target;
  if (walk.ancestors.includes(value)) return withLoss(endOfRecursion(value, ref), "recursive", walk);
  if (walk.refDepth >= walk.maxRefDepth) return withLoss(asLeaf(value), "over_budget", walk);
  walk.refDepth++;
  const projected = project(value, walk);
  walk.refDepth--;
  return projected;
}

/** Records that a reference was not followed, and returns its replacement. */
function withLoss(replacement: SubSchema, why: LossReason, walk: PortableWalk): SubSchema {
  walk.nodes++;
  recordLoss(walk, "$ref", why);
  return replacement;
}

/** Replaces a recursive reference: type and text of the target, with a note that names it. */
function endOfRecursion(target: unknown, ref: string): SubSchema {
  const leaf = asLeaf(target);
  return isRecord(leaf) ? appendNote(leaf, `recursive: same as ${refName(ref)}`) : leaf;
}

/** Combines both schemas. Annotations beside a reference win over the target's; assertions of both sides apply. */
function combine(target: SubSchema, beside: SubSchema): SubSchema {
  if (!isRecord(target)) return target ? beside : target;
  if (!isRecord(beside)) return beside ? target : beside;
  const assertions = Object.keys(beside).filter((key) => isAssertion(key) && beside[key] !== target[key]);
  if (assertions.length === 0) return withMembers(target, beside);
  if (Object.keys(target).length === 0) return beside;
  const others = Array.isArray(beside["allOf"]) ? beside["allOf"] : [];
  return withMembers(beside, { allOf: [...others, target] });
}

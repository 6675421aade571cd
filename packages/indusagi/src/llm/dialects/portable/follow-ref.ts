import type { LossReason } from "../dialect.ts";
import { describeMore } from "../walk/describe-more.ts";
import { isAssertion } from "../walk/keyword-table.ts";
import { isRecord, type Members, withMembers, withoutMembers } from "../walk/members.ts";
import { refName, resolvePointer } from "../walk/resolve-pointer.ts";
import { giveUp } from "../walk/schema-walk.ts";
import { leafOf, type PortableWalk, type SubSchema } from "./portable-walk.ts";

/** Puts one schema into portable form. */
export type Project = (schema: unknown, walk: PortableWalk) => SubSchema;

/** Replaces a `$ref` by what it leads to, joined with the keywords that stand beside it. */
export function followRef(schema: Members, walk: PortableWalk, project: Project): SubSchema {
  const ref = String(schema["$ref"]);
  const beside = withoutMembers(schema, "$ref");
  walk.met++;
  const target = projectTarget(ref, walk, project);
  if (Object.keys(beside).length === 0) return target;
  const joined = join(target, project(beside, walk));
  // Two schemas were written, and may have become one.
  walk.nodes--;
  return joined;
}

function projectTarget(ref: string, walk: PortableWalk, project: Project): SubSchema {
  const target = walk.targets.get(ref) ?? resolvePointer(walk.root, ref);
  walk.targets.set(ref, target);
  if (typeof target === "string") return instead({}, target, walk);
  const { value } = target;
  if (walk.ancestors.includes(value)) return instead(cut(value, ref), "recursive", walk);
  if (walk.refs >= walk.maxRefs) return instead(leafOf(value), "over_budget", walk);
  walk.refs++;
  const projected = project(value, walk);
  walk.refs--;
  return projected;
}

/** What stands where a reference is not followed. */
function instead(remainder: SubSchema, why: LossReason, walk: PortableWalk): SubSchema {
  walk.nodes++;
  giveUp(walk, "$ref", why);
  return remainder;
}

/** The end of a recursion: not the shape again, but a word that it is the same. */
function cut(target: unknown, ref: string): SubSchema {
  const leaf = leafOf(target);
  return isRecord(leaf) ? describeMore(leaf, `recursive: as ${refName(ref)}`) : leaf;
}

/** Both schemas at once. Words beside a reference win over those of its target; conditions on both sides hold together. */
function join(target: SubSchema, beside: SubSchema): SubSchema {
  if (!isRecord(target)) return target ? beside : target;
  if (!isRecord(beside)) return beside ? target : beside;
  const conditions = Object.keys(beside).filter((key) => isAssertion(key) && beside[key] !== target[key]);
  if (conditions.length === 0) return withMembers(target, beside);
  if (Object.keys(target).length === 0) return beside;
  const others = Array.isArray(beside["allOf"]) ? beside["allOf"] : [];
  return withMembers(beside, { allOf: [...others, target] });
}

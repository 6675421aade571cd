import { canonicalJson, isRecord } from "indusagi/core";
import { type JsonObject, replaceTexts } from "./schema-texts.ts";

/** Names that a schema requires now and did not before, in schemas that existed before. */
export function newlyRequired(before: unknown, after: unknown): string[] {
  const old = schemasOf(before);
  return [...schemasOf(after)].flatMap(([path, schema]) => {
    const known = old.get(path);
    if (!known) return [];
    const required = new Set(namesOf(known["required"]));
    return namesOf(schema["required"]).filter((name) => !required.has(name));
  });
}

/** The members that a schema gained if that is its only change; otherwise `undefined`. */
export function onlyGained(before: unknown, after: unknown): readonly string[] | undefined {
  const gained: string[] = [];
  const rest = withoutGained(before, after, gained);
  return canonicalJson(rest ?? null) === canonicalJson(before ?? null) ? gained : undefined;
}

function schemasOf(schema: unknown): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  replaceTexts(schema, { text: (_, text) => text, schema: (path, each) => found.set(path, each) });
  return found;
}

function namesOf(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** The newer schema without the properties that the older one lacks. Their names are added to `gained`. */
function withoutGained(before: unknown, after: unknown, gained: string[], isNamed = false): unknown {
  if (Array.isArray(before) && Array.isArray(after))
    return after.map((item, at) => withoutGained(before[at], item, gained));
  if (!isRecord(before) || !isRecord(after)) return after;
  const members = Object.entries(after).flatMap(([name, value]) => {
    if (isNamed && !Object.hasOwn(before, name)) {
      gained.push(name);
      return [];
    }
    const isMap = !isNamed && name === "properties";
    // An object that had no properties at all gains its first ones.
    const old = isMap && !Object.hasOwn(before, name) ? {} : before[name];
    const kept = withoutGained(old, value, gained, isMap);
    const isEmptied =
      isMap && !Object.hasOwn(before, name) && isRecord(kept) && Object.keys(kept).length === 0;
    return isEmptied ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(members);
}

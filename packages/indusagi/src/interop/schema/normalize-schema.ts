import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../../llm/index.ts";
import { JSON_TYPES, setMember } from "../../llm/internal.ts";

/**
 * Reduces any value a server sends as a schema to a small subset that every provider accepts.
 *
 * Total, pure and order-preserving. Each node is read by its declared `type`; a node that declares none, several or
 * an unknown one becomes a closed `{ type: "object", properties: {} }`. This is the sister editions' function,
 * unchanged. By default a model sees the `portable` dialect instead, which loses far less.
 */
export function normalizeSchema(input: unknown): JsonSchema {
  // A work list instead of recursion: a hostile schema may be nested a million levels deep.
  const work: Work = { made: new Map(), open: [] };
  const result = normalized(input, work);
  for (let next = work.open.pop(); next !== undefined; next = work.open.pop()) fill(next, work);
  return result;
}

interface Members {
  [keyword: string]: unknown;
}

interface Job {
  readonly source: Members;
  readonly target: Members;
}

interface Work {
  /** One result per source object: an in-process server may pass a graph with a cycle, and the walk must end. */
  readonly made: Map<object, Members>;
  readonly open: Job[];
}

/** The result for one node, empty at first; its members are filled in from the work list. */
function normalized(source: unknown, work: Work): Members {
  if (!isRecord(source)) return closedObject();
  const known = work.made.get(source);
  if (known) return known;
  const target: Members = {};
  work.made.set(source, target);
  work.open.push({ source, target });
  return target;
}

function fill(job: Job, work: Work): void {
  const { source, target } = job;
  const type = source["type"];
  if (!JSON_TYPES.has(type)) {
    Object.assign(target, closedObject());
    return;
  }
  for (const keyword of Object.keys(source)) {
    if (STRIPPED_KEYWORDS.has(keyword)) continue;
    const value = memberOf(type, keyword, job, work);
    if (value !== ABSENT) setMember(target, keyword, value);
  }
  if (type === "object" && !Object.hasOwn(target, "properties")) target["properties"] = {};
}

/** Keywords that no provider validates against. They are removed at every level. */
const STRIPPED_KEYWORDS: ReadonlySet<string> = new Set([
  // Draft plumbing and cross-references.
  "$schema",
  "$id",
  "$ref",
  "$defs",
  "definitions",
  // Annotations a validator ignores.
  "$comment",
  "deprecated",
  "readOnly",
  "writeOnly",
  // Sample data, not constraints.
  "default",
  "examples",
  // Content metadata outside the accepted subset.
  "contentEncoding",
  "contentMediaType",
]);

/** The keyword is left out. */
const ABSENT = Symbol("absent");

type Normalize = (value: unknown, job: Job, work: Work) => unknown;

const BY_KEYWORD: ReadonlyMap<unknown, ReadonlyMap<string, Normalize>> = new Map([
  [
    "object",
    new Map<string, Normalize>([
      ["properties", normalizeProperties],
      ["required", declaredOnly],
      ["additionalProperties", schemaOrBoolean],
    ]),
  ],
  ["array", new Map<string, Normalize>([["items", singleItems]])],
]);

function memberOf(type: unknown, keyword: string, job: Job, work: Work): unknown {
  const value = job.source[keyword];
  const normalize = BY_KEYWORD.get(type)?.get(keyword);
  return normalize ? normalize(value, job, work) : value;
}

function normalizeProperties(value: unknown, _job: Job, work: Work): unknown {
  const properties: Members = {};
  if (!isRecord(value)) return properties;
  for (const name of Object.keys(value)) setMember(properties, name, normalized(value[name], work));
  return properties;
}

function declaredOnly(value: unknown, job: Job): unknown {
  const properties = job.source["properties"];
  if (!Array.isArray(value) || !isRecord(properties)) return ABSENT;
  const declared = value.filter((name) => typeof name === "string" && Object.hasOwn(properties, name));
  return declared.length > 0 ? declared : ABSENT;
}

function schemaOrBoolean(value: unknown, _job: Job, work: Work): unknown {
  if (typeof value === "boolean") return value;
  return isRecord(value) ? normalized(value, work) : ABSENT;
}

function singleItems(value: unknown, _job: Job, work: Work): unknown {
  const items: unknown = Array.isArray(value) ? value[0] : value;
  return items === undefined ? ABSENT : normalized(items, work);
}

function closedObject(): Members {
  return { type: "object", properties: {} };
}

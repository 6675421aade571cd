import type { Members } from "./members.ts";
import { withMembers } from "./members.ts";

/** Longer than this a keyword is no longer a remark but a second schema, and words would not help. */
const MAX_REMARK = 240;

/** A copy of `schema` with a remark in brackets at the end of its description. */
export function describeMore(schema: Members, remark: string): Members {
  const before = schema["description"];
  const description = typeof before === "string" && before !== "" ? `${before} (${remark})` : `(${remark})`;
  return withMembers(schema, { description });
}

/** A keyword and its value as a remark, `minimum: 1`, or `undefined` if it cannot be said in a few words. */
export function remarkOf(keyword: string, value: unknown): string | undefined {
  // Seen without writing it out: a long text may stand in a thousand places.
  if (typeof value === "string" && value.length > MAX_REMARK) return undefined;
  const text = jsonText(value);
  if (text === undefined || text.length > MAX_REMARK) return undefined;
  return `${keyword}: ${text}`;
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

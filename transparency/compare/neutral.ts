import { createHash } from "node:crypto";

type Json = { readonly [member: string]: unknown };

const MAX_TEXT = 4_000;
const ENVELOPE = "io.modelcontextprotocol/";

/**
 * What was seen, without the envelope that the modern era puts around every result: its type, its time to live, and who sent
 * it. A legacy result has no such members, so that answers of both eras can be compared. Long texts are replaced by a hash.
 */
export function neutral(seen: unknown): unknown {
  if (typeof seen === "string") return seen.length > MAX_TEXT ? digest(seen) : seen;
  if (Array.isArray(seen)) return seen.map(neutral);
  if (typeof seen !== "object" || seen === null) return seen;
  return Object.fromEntries(
    Object.entries(seen).map(([member, value]) => [
      member,
      neutral(member === "result" ? withoutEnvelope(value) : value),
    ]),
  );
}

function withoutEnvelope(result: unknown): unknown {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return result;
  const { resultType, ttlMs: _ttl, cacheScope: _scope, ...rest } = result as Json;
  return {
    ...withoutConnection(rest),
    ...(resultType === undefined || resultType === "complete" ? {} : { resultType }),
  };
}

/** A result, or the parameters of a message, without what `_meta` has about this one connection and request. */
export function withoutConnection({ _meta, ...rest }: Json): Json {
  const isKept = ([key]: readonly [string, unknown]): boolean =>
    !key.startsWith(ENVELOPE) && key !== "progressToken";
  const kept = Object.entries((_meta ?? {}) as Json).filter(isKept);
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest;
}

function digest(text: string): string {
  return `${text.length} characters, sha256 ${createHash("sha256").update(text).digest("hex")}`;
}

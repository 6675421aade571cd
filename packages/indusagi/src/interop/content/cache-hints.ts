import type { CacheHint, RawResult } from "../contract/index.ts";

/**
 * What we state for a list whose changes we are told about. Short: a client that does not listen to us learns of a change only
 * after this time.
 */
export const KEPT_FRESH_MS = 5_000;
/** Longer lifetimes count as this one: a mistyped number must not freeze a list for ever. */
const MAX_TTL_MS = 24 * 60 * 60_000;

/** The result may not be used again without asking. */
export const NOT_CACHED: CacheHint = { ttlMs: 0, cacheScope: "private" };

/** What a result says about its use later. Absent in the legacy era; an invalid lifetime counts as absent. */
export function statedHint({ ttlMs, cacheScope }: RawResult): CacheHint | undefined {
  if (typeof ttlMs !== "number" || !Number.isSafeInteger(ttlMs) || ttlMs < 0) return undefined;
  return {
    ttlMs: Math.min(ttlMs, MAX_TTL_MS),
    cacheScope: cacheScope === "public" ? "public" : "private",
  };
}

/** A result without its hint. */
export function withoutHint(result: RawResult): RawResult {
  if (!("ttlMs" in result) && !("cacheScope" in result)) return result;
  const { ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  return rest;
}

/** The hint of what consists of several parts: the shortest lifetime, and private if one part is. Undefined without parts. */
export function joinHints(hints: readonly CacheHint[]): CacheHint | undefined {
  if (hints.length === 0) return undefined;
  return {
    ttlMs: Math.min(...hints.map(({ ttlMs }) => ttlMs)),
    cacheScope: hints.every(({ cacheScope }) => cacheScope === "public") ? "public" : "private",
  };
}

/** A list that we have. */
export interface KeptList {
  /** What its server stated. */
  readonly hint: CacheHint | undefined;
  /** How long ago the server was asked for it. */
  readonly ageMs: number;
  /** Whether the server would report a change. */
  readonly isAnnounced: boolean;
}

/**
 * What is left of a list's lifetime. A list whose changes are announced is good beyond it, but we never state more than its server
 * would: one that says 0 means 0.
 */
export function remainingHint({ hint, ageMs, isAnnounced }: KeptList): CacheHint {
  const { ttlMs = KEPT_FRESH_MS, cacheScope = "private" } = hint ?? {};
  const keptMs = isAnnounced ? Math.min(KEPT_FRESH_MS, ttlMs) : 0;
  return { ttlMs: Math.max(keptMs, hint ? Math.floor(ttlMs - ageMs) : 0), cacheScope };
}

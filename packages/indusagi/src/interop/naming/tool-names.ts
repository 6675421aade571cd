import { contentHash } from "../../core/index.ts";
import type { RemoteToolRef } from "../contract/index.ts";

/** Joins a server's id and a tool's name. */
export const QUALIFIER = "__";

/** The name under which a server's tool is offered: `server__tool`, or its hashed form (see `joinToolName`). */
export function wireName(ref: RemoteToolRef, limit = 64): string {
  return joinToolName(ref, { separator: QUALIFIER, limit });
}

/** `server__tool`, as in the sister editions. Not used for routing: see `wireName`. */
export function qualifyToolName(ref: RemoteToolRef): string {
  return `${ref.server}${QUALIFIER}${ref.name}`;
}

export interface JoinOptions {
  /** Between the server's id and the tool's name; consists of `_`. */
  readonly separator: string;
  /** Longest name, in characters. */
  readonly limit: number;
  /** Names that must not be used, for example those of native tools. */
  readonly isReserved?: (name: string) => boolean;
}

const HASH_DIGITS = 8;
const LEGAL = /^[A-Za-z0-9_-]+$/;
const LOOKS_HASHED = /_[0-9a-f]{8}$/;

/**
 * One name for a server and its tool: the plain join if that is legal and unambiguous, otherwise the join with
 * illegal characters replaced, cut to length, plus a hash of the pair. Two pairs never share a name, and a name
 * depends only on its own pair, not on order or on other servers.
 *
 * The hash is of the pair as a structure, not of the joined text: `a__b` and `c` join to the same text as `a` and
 * `b__c`.
 */
export function joinToolName(ref: RemoteToolRef, options: JoinOptions): string {
  const { separator, limit } = options;
  const joined = `${ref.server}${separator}${ref.name}`;
  if (isPlain(ref, joined, options)) return joined;
  const digest = contentHash([ref.server, ref.name]).slice(0, HASH_DIGITS);
  const cleaned = joined.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, limit - HASH_DIGITS - 1);
  return `${cleaned}_${digest}`;
}

/** True if the joined name can be split into only one pair and looks neither hashed nor reserved. */
function isPlain({ server, name }: RemoteToolRef, joined: string, options: JoinOptions): boolean {
  const { separator, limit, isReserved } = options;
  const isUnambiguous = !server.includes(separator) && !server.startsWith("_") && !server.endsWith("_");
  return (
    isUnambiguous &&
    LEGAL.test(server) &&
    LEGAL.test(name) &&
    joined.length <= limit &&
    !LOOKS_HASHED.test(joined) &&
    !isReserved?.(joined)
  );
}

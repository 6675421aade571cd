import { contentHash } from "../../core/index.ts";
import type { RemoteToolRef } from "../contract/index.ts";

export interface JoinOptions {
  /** Stands between the server's id and the tool's name. Consists of `_`. */
  readonly separator: string;
  /** The longest name, in characters. */
  readonly limit: number;
  /** Names that must not be taken, e.g. those of the native tools. */
  readonly isReserved?: (name: string) => boolean;
}

const HASH_DIGITS = 8;
const LEGAL = /^[A-Za-z0-9_-]+$/;
const LOOKS_HASHED = /_[0-9a-f]{8}$/;

/**
 * One name for a server and its tool: the plain join where that is legal and unambiguous, else the cleaned and cut join
 * with a hash of the pair. Two pairs never share a name, and a name depends on its own pair alone: not on the order of
 * mounting and not on other servers.
 *
 * The hash covers the pair as a structure, never the joined text, because `a__b` and `c` join to the same text as `a`
 * and `b__c`.
 */
export function joinToolName(ref: RemoteToolRef, options: JoinOptions): string {
  const { separator, limit } = options;
  const joined = `${ref.server}${separator}${ref.name}`;
  if (isPlain(ref, joined, options)) return joined;
  const digest = contentHash([ref.server, ref.name]).slice(0, HASH_DIGITS);
  const cleaned = joined.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, limit - HASH_DIGITS - 1);
  return `${cleaned}_${digest}`;
}

/** Whether the join reads back to one pair only and cannot be taken for a hashed or a reserved name. */
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

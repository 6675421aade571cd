import { contentHash } from "../../core/index.ts";
import type { RemoteToolRef } from "../contract/index.ts";
import { QUALIFIER } from "./qualify-tool-name.ts";

const HASH_DIGITS = 8;
const LEGAL = /^[A-Za-z0-9_-]+$/;
const LOOKS_HASHED = /_[0-9a-f]{8}$/;

/**
 * The name under which a mounted tool is offered: `server__tool` where that is legal and cannot be mistaken,
 * else the cleaned and cut join with a hash of the pair. Two pairs never share a name, and a name depends on its
 * own pair alone: not on order, not on what else is mounted.
 *
 * The hash is taken of the pair as a structure, never of the joined text, because `a__b` and `c` joins to the same
 * text as `a` and `b__c`.
 */
export function wireName({ server, name }: RemoteToolRef, limit = 64): string {
  const joined = `${server}${QUALIFIER}${name}`;
  if (isPlain(server, name, joined, limit)) return joined;
  const digest = contentHash([server, name]).slice(0, HASH_DIGITS);
  const cleaned = joined.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, limit - HASH_DIGITS - 1);
  return `${cleaned}_${digest}`;
}

/** Whether the join reads back to one pair only and cannot be taken for a hashed name. */
function isPlain(server: string, name: string, joined: string, limit: number): boolean {
  const serverIsClear = !server.includes(QUALIFIER) && !server.startsWith("_") && !server.endsWith("_");
  return (
    serverIsClear &&
    LEGAL.test(server) &&
    LEGAL.test(name) &&
    joined.length <= limit &&
    !LOOKS_HASHED.test(joined)
  );
}

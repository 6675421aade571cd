import { contentHash } from "../../core/index.ts";
import { NATIVE_NAMES } from "../../runtime/internal.ts";

const HASH_DIGITS = 8;
const LEGAL = /^[A-Za-z0-9_-]+$/;
const LOOKS_HASHED = /_[0-9a-f]{8}$/;

/**
 * The name of a minted tool: `server_tool` where that is legal and cannot be mistaken, else the cleaned and cut join
 * with a hash of the pair. A name depends on its own pair alone, and two pairs never share one: a plain name has no
 * `_` in its server, so it reads back to one pair only, and never ends like a hashed one.
 */
export function mintedToolName(server: string, tool: string, limit = 64): string {
  const joined = `${server}_${tool}`;
  if (isPlain(server, tool, joined) && joined.length <= limit) return joined;
  // Of the pair as a structure: `a_b` and `c` join to the same text as `a` and `b_c`.
  const digest = contentHash([server, tool]).slice(0, HASH_DIGITS);
  const cleaned = joined.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, limit - HASH_DIGITS - 1);
  return `${cleaned}_${digest}`;
}

function isPlain(server: string, tool: string, joined: string): boolean {
  return (
    !server.includes("_") &&
    LEGAL.test(server) &&
    LEGAL.test(tool) &&
    !LOOKS_HASHED.test(joined) &&
    !RESERVED.has(folded(joined))
  );
}

/** Models read past case and separators, so names that differ in nothing else count as the same. */
const folded = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

const RESERVED: ReadonlySet<string> = new Set(NATIVE_NAMES.map(folded));

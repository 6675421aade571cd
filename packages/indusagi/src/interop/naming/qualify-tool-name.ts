import type { RemoteToolRef } from "../contract/index.ts";

/** Joins a server's id and a tool's name. */
export const QUALIFIER = "__";

/** `server__tool`, as in the sister editions. Not used for routing: see `wireName`. */
export function qualifyToolName(ref: RemoteToolRef): string {
  return `${ref.server}${QUALIFIER}${ref.name}`;
}

import type { RemoteToolRef } from "../contract/index.ts";
import { joinToolName } from "./join-tool-name.ts";

/** Joins a server's id and a tool's name. */
export const QUALIFIER = "__";

/** The name under which a mounted tool is offered: `server__tool`, or its hashed form (see `joinToolName`). */
export function wireName(ref: RemoteToolRef, limit = 64): string {
  return joinToolName(ref, { separator: QUALIFIER, limit });
}

/** `server__tool`, as in the sister editions. Not used for routing: see `wireName`. */
export function qualifyToolName(ref: RemoteToolRef): string {
  return `${ref.server}${QUALIFIER}${ref.name}`;
}

import { QUALIFIER, qualifyToolName } from "indusagi/interop";

/** `server__tool`, as in the sister editions. Calls are never routed by it. */
export function qualifyBridgeName(server: string, tool: string): string {
  return qualifyToolName({ server, name: tool });
}

/**
 * The part of a name before the first `__`, or `""`. For display only: a server's id may contain `__` itself, so the owner
 * of a tool is looked up in the ledger, never taken from its name.
 */
export function serverOfQualified(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(QUALIFIER)));
}

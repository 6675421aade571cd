import { QUALIFIER, qualifyToolName } from "indusagi/interop";

/** `server__tool`, as the sister editions join it. Nothing routes by it. */
export function qualifyBridgeName(server: string, tool: string): string {
  return qualifyToolName({ server, name: tool });
}

/**
 * What stands before the first `__` of a name, or `""` when nothing does. For showing only: a server's id may itself
 * hold a `__`, so who owns a tool is looked up in the ledger and never read from a name.
 */
export function serverOfQualified(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(QUALIFIER)));
}

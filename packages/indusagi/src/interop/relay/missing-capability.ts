import { isUsablePhase, type ServerFleet, type ServerSession } from "../contract/index.ts";

/** A capability that the server must have declared; with `feature`, also that member of it. */
export interface NeededCapability {
  readonly capability: string;
  readonly feature?: string;
}

/** The name of a capability that a server did not declare; undefined if it did. */
export function missingCapability(
  { capabilities }: ServerSession,
  { capability, feature }: NeededCapability,
): string | undefined {
  const declared = capabilities[capability] as { readonly [member: string]: unknown } | undefined;
  if (declared !== undefined && (feature === undefined || declared[feature])) return undefined;
  return feature === undefined ? capability : `${capability}.${feature}`;
}

/** Why a request is not sent to a server that did not declare the capability for it. */
export function missingCapabilityMessage(server: string, missing: string): string {
  return `server "${server}" does not support this: it did not declare the capability "${missing}"`;
}

/** The id of each server with the capabilities that it declared; undefined if that is not known yet. */
export type DeclaredCapabilities = Iterable<
  readonly [server: string, capabilities: { readonly [capability: string]: unknown } | undefined]
>;

/** What the servers of a fleet declared on their connections. */
export function* declaredNow(fleet: ServerFleet): DeclaredCapabilities {
  for (const endpoint of fleet.endpoints())
    yield [endpoint.config.id, isUsablePhase(endpoint.phase) ? endpoint.session().capabilities : undefined];
}

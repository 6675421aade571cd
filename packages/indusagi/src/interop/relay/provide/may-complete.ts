import { isUsablePhase, type ServerFleet } from "../../contract/index.ts";

/** The id of each server with the capabilities that it declared; undefined if that is not known yet. */
export type DeclaredCapabilities = Iterable<
  readonly [server: string, capabilities: { readonly [capability: string]: unknown } | undefined]
>;

/** What the servers of a fleet declared on their connections. */
export function* declaredNow(fleet: ServerFleet): DeclaredCapabilities {
  for (const endpoint of fleet.endpoints())
    yield [endpoint.config.id, isUsablePhase(endpoint.phase) ? endpoint.session().capabilities : undefined];
}

/**
 * Whether completion can be of use to a client: one of its servers supports it, or is not known yet. A client learns once
 * what is supported.
 */
export function mayComplete(declared: DeclaredCapabilities, keeps: (server: string) => boolean): boolean {
  for (const [server, capabilities] of declared) {
    const isPossible = !capabilities || capabilities["completions"] !== undefined;
    if (isPossible && keeps(server)) return true;
  }
  return false;
}

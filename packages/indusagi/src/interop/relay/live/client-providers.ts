import type { Caller } from "../../../runtime/index.ts";
import type {
  CompletionRequest,
  HostClient,
  HostProviders,
  ProviderRequest,
  ProviderSource,
  RawResult,
  ResourceProvider,
  ServerFleet,
} from "../../contract/index.ts";
import type { ResourceRef } from "../../naming/index.ts";
import { isInScope, type RelayScope } from "../provide/relay-scope.ts";
import { clientFeed } from "./client-feed.ts";
import { resourceUpdates } from "./resource-updates.ts";

export interface ClientProvidersOptions {
  readonly fleet: ServerFleet;
  readonly scope: RelayScope;
  /** What all clients are offered. */
  readonly shared: Omit<HostProviders, "complete"> & { readonly resources: ResourceProvider };
  /** Offered to the clients that it can be of use to. */
  readonly complete: (completion: CompletionRequest, request: ProviderRequest) => Promise<RawResult>;
  /** Whether one of the servers that a client sees may complete arguments. */
  readonly completes: (caller: Caller) => boolean;
  /** Finds the server of a URI. */
  readonly locate: (uri: string, request: ProviderRequest) => Promise<ResourceRef>;
}

/**
 * Providers for each client. A client with a connection watches resources for itself, because a server may run for it alone.
 * Clients without one share their watches by principal: each request would be another client.
 */
export function clientProviders(options: ClientProvidersOptions): ProviderSource {
  const { fleet, scope, shared, complete, completes, locate } = options;
  const watched = (): ResourceProvider => ({ ...shared.resources, ...resourceUpdates(fleet, locate) });
  const byPrincipal = new Map<string, ResourceProvider>();
  const ofPrincipal = ({ principal = "" }: HostClient): ResourceProvider => {
    const known = byPrincipal.get(principal) ?? watched();
    byPrincipal.set(principal, known);
    return known;
  };
  return (client) => ({
    ...shared,
    ...(completes(outsideCaller(client)) && { complete }),
    resources: hasConnection(client) ? watched() : ofPrincipal(client),
    feed: clientFeed(fleet, client, (server) => isInScope(scope, server, outsideCaller(client))),
  });
}

/** A client outside of its requests. */
function outsideCaller(client: HostClient): Caller {
  return { ...client, can: {} };
}

function hasConnection({ isSingle = false, key, principal }: HostClient): boolean {
  return !isSingle && key !== principal;
}

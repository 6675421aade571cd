import type { HttpRoutes, ProviderHost, ServerConfig } from "indusagi/interop";
import { parseRoutePath, type Route, routePath, type TokenAccess } from "../../gateway/index.ts";
import type { LiveParts } from "./route-view.ts";

/**
 * The hosts below `/mcp`: one for each server, and one for each profile. All use the same servers. A host is made when a client first
 * asks for it, and stays when its server or profile goes and comes back.
 */
export function routeHosts(
  { servers, profiles, access }: LiveParts & { readonly access: TokenAccess | undefined },
  create: (route: Route) => ProviderHost,
): HttpRoutes {
  const hosts = new Map<string, ProviderHost>();
  const routes = (principal: string | undefined): readonly Route[] => [
    ...servers
      .configs()
      .filter(isServed)
      .filter(({ id }) => access?.allowsServer(principal, id) ?? true)
      .map(({ id }) => ({ kind: "server", id }) as const),
    ...profiles.all().map(({ name }) => ({ kind: "profile", name }) as const),
  ];
  const paths = (principal?: string): readonly string[] => routes(principal).map(routePath);
  return {
    paths,
    find: (asked, principal) => {
      const route = parseRoutePath(asked);
      if (!route || route.kind === "all") return undefined; // The listener itself has the latter.
      const path = routePath(route);
      if (!paths(principal).includes(path)) return undefined;
      const host = hosts.get(path) ?? create(route);
      hosts.set(path, host);
      return host;
    },
  };
}

/** A row that is switched off or waits for an approval has nothing to offer. */
function isServed({ enabled = true, pending = false }: ServerConfig): boolean {
  return enabled && !pending;
}

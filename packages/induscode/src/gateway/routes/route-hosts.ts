import type { HttpRoutes, ProviderHost, ServerConfig } from "indusagi/interop";
import { parseRoutePath, type Route, routePath, type TokenAccess } from "../index.ts";
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
  const isOpen = (server: ServerConfig, principal: string | undefined): boolean =>
    isServed(server) && (access?.allowsServer(principal, server.id) ?? true);
  const exists = (route: Route, principal: string | undefined): boolean => {
    if (route.kind === "profile") return profiles.find(route.name) !== undefined;
    // The listener itself has the one for everything.
    if (route.kind === "all") return false;
    return servers.configs().some((server) => server.id === route.id && isOpen(server, principal));
  };
  return {
    paths: (principal) => [
      ...servers
        .configs()
        .filter((server) => isOpen(server, principal))
        .map(({ id }) => routePath({ kind: "server", id })),
      ...profiles.all().map(({ name }) => routePath({ kind: "profile", name })),
    ],
    find: (asked, principal) => {
      const route = parseRoutePath(asked);
      if (!route || !exists(route, principal)) return undefined;
      const path = routePath(route);
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

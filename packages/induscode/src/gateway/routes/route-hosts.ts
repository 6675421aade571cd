import type { HttpRoutes, ProviderHost, ServerConfig } from "indusagi/interop";
import { parseRoutePath, type Route, routePath, type TokenAccess } from "../index.ts";
import type { LiveParts } from "./route-view.ts";

/**
 * The hosts below `/mcp`: one per server and one per profile, all with the same servers. A host is created on the first request,
 * and stays if its server or profile is removed and added again.
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
    // The listener itself serves it.
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

function isServed({ enabled = true, pending = false }: ServerConfig): boolean {
  return enabled && !pending;
}

import type { RelayScope } from "indusagi/interop";
import { type ToolBox, viewBox } from "indusagi/runtime";
import { shownToolName } from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import type { Route, StatusBoxOptions } from "../index.ts";
import type { LiveProfiles } from "./live-profiles.ts";
import { hasServer, profileFilter } from "./profiles.ts";

/** What changes while a gateway serves. */
export interface LiveParts {
  readonly servers: Pick<OpenServers, "configs" | "approved" | "onRows">;
  readonly profiles: LiveProfiles;
}

/** The tools of a route. The box gets every call under its own names, so its policy and filters apply. */
export function routeView(box: ToolBox, route: Route, { servers, profiles }: LiveParts): ToolBox {
  if (route.kind === "all") return box;
  if (route.kind === "server") return serverView(box, route.id, servers);
  return viewBox(box, {
    show: (tool) => {
      const profile = profiles.find(route.name);
      return profile && profileFilter(profile)(tool, servers.approved()) ? tool : undefined;
    },
    onShowChange: (listener) => {
      profiles.onChange(listener);
      servers.onRows(listener);
    },
  });
}

/** The tools of one server under its own names. */
function serverView(box: ToolBox, id: string, servers: LiveParts["servers"]): ToolBox {
  return viewBox(box, {
    show: (tool) => (tool.origin?.server === id ? { ...tool, name: tool.origin.tool } : undefined),
    refusalOf: (name) => {
      const config = servers.configs().find((server) => server.id === id);
      return config && box.refusalOf?.(shownToolName(config, name));
    },
  });
}

/** The resources and prompts of a route. `allows`: whether a client may use a server at all. */
export function routeScope(
  route: Route,
  { profiles, allows }: Pick<LiveParts, "profiles"> & Pick<StatusBoxOptions, "allows">,
): RelayScope {
  const isAllowed: RelayScope["keeps"] = (server, caller) => allows?.(caller, server) ?? true;
  if (route.kind === "all") return { keeps: isAllowed };
  if (route.kind === "server") return { only: route.id, keeps: isAllowed };
  return {
    keeps: (server, caller) => {
      const profile = profiles.find(route.name);
      return profile !== undefined && hasServer(profile, server) && isAllowed(server, caller);
    },
    onChange: (listener) => profiles.onChange(listener),
  };
}

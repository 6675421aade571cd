import { type ToolBox, viewBox } from "indusagi/runtime";
import type { Route } from "../../gateway/index.ts";
import { shownToolName } from "../servers/find-tool.ts";
import type { OpenServers } from "../servers/open-servers.ts";
import type { LiveProfiles } from "./live-profiles.ts";
import { profileFilter } from "./profiles.ts";

/** What changes while a gateway serves. */
export interface LiveParts {
  readonly servers: Pick<OpenServers, "configs">;
  readonly profiles: LiveProfiles;
}

/** What a route shows of a box. The box gets every call, under its own names: the policy and all filters of the box hold. */
export function routeView(box: ToolBox, route: Route, { servers, profiles }: LiveParts): ToolBox {
  if (route.kind === "all") return box;
  if (route.kind === "server") return serverView(box, route.id, servers);
  return viewBox(box, {
    show: (tool) => {
      const profile = profiles.find(route.name);
      return profile && profileFilter(profile)(tool) ? tool : undefined;
    },
    onShowChange: (listener) => profiles.onChange(listener),
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

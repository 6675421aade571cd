import type { RelayScope } from "indusagi/interop";
import { type ToolBox, viewBox } from "indusagi/runtime";
import { shownToolName } from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import type { Route, StatusBoxOptions, TokenAccess, ToolsMode } from "../index.ts";
import { hasServer, type LiveProfiles, profileFilter } from "./profiles.ts";

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

interface ScopeParts extends Pick<LiveParts, "profiles">, Pick<StatusBoxOptions, "allows"> {
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
  /** How tools are listed by default. */
  readonly listing: ToolsMode;
  readonly servers: Pick<OpenServers, "configs">;
  /** Whether a rule or a filter concerns tools of a server. */
  readonly hasToolRules: (server: string) => boolean;
}

/**
 * Finds the server of an extension's method. Such a request may do anything on the server, so it passes only for clients that may
 * use all of it, and only if no rule concerns its tools.
 */
function forwarding(route: Route, { access, servers, hasToolRules }: ScopeParts): RelayScope["forwards"] {
  // A profile is a selection of tools.
  if (route.kind === "profile") return undefined;
  const named = (method: string): readonly string[] =>
    servers
      .configs()
      .filter(({ extensionMethods = [] }) => extensionMethods.some((start) => method.startsWith(start)))
      .map(({ id }) => id);
  return (method, { principal }) => {
    const [server, another] = route.kind === "server" ? [route.id] : named(method);
    if (server === undefined || another !== undefined || hasToolRules(server)) return undefined;
    return (access?.allowsWholeServer(principal, server) ?? true) ? server : undefined;
  };
}

/** The resources and prompts of a route. `allows`: whether a client may use a server at all. */
export function routeScope(route: Route, parts: ScopeParts): RelayScope {
  const { profiles, allows, access, listing } = parts;
  const forwards = forwarding(route, parts);
  const isAllowed: RelayScope["keeps"] = (server, caller) => allows?.(caller, server) ?? true;
  const isSameForAll: RelayScope["isSameForAll"] = ({ principal }) => access?.isForAll(principal) ?? true;
  if (route.kind === "server")
    return { only: route.id, keeps: isAllowed, isSameForAll, ...(forwards && { forwards }) };
  const modeOf = (): ToolsMode =>
    (route.kind === "profile" ? profiles.find(route.name)?.listing : undefined) ?? listing;
  // A search lists the tools that were used last, so its list changes with each call.
  const listsAllTools: RelayScope["listsAllTools"] = ({ principal }) =>
    (access?.listing(principal) ?? modeOf()) === "all";
  if (route.kind === "all")
    return { keeps: isAllowed, isSameForAll, listsAllTools, ...(forwards && { forwards }) };
  return {
    listsAllTools,
    isSameForAll: () => false,
    keeps: (server, caller) => {
      const profile = profiles.find(route.name);
      return profile !== undefined && hasServer(profile, server) && isAllowed(server, caller);
    },
    onChange: (listener) => profiles.onChange(listener),
  };
}

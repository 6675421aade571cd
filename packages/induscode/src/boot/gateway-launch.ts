import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  isUrl,
  type PolicyFlags,
  type ServeProfile,
  type ServerSources,
  type ToolsListing,
} from "../launch/internal.ts";
import type { GatewayLaunch } from "../servers/clients/index.ts";

/** What a gateway serves. */
export interface GatewayOffer {
  readonly sources: ServerSources;
  /** Default: `read-only`. */
  readonly profile?: ServeProfile;
  /** Default: `all`. */
  readonly listing?: ToolsListing;
  /** Default: no rules, and the mode `default`. */
  readonly policy?: PolicyFlags;
  /** Default: false. */
  readonly lazy?: boolean;
  /** A folder of skills to publish. */
  readonly skills?: string | undefined;
  /** Default: the folder in which it is started. */
  readonly cwd?: string;
}

/** The command line of a gateway over stdio. Its paths are absolute: desktop applications have another folder and PATH. */
export function stdioGatewayLaunch({
  demo = false,
  ...served
}: GatewayOffer & { readonly demo?: boolean }): GatewayLaunch {
  return launchOf(["--stdio", ...(demo ? ["--demo"] : [])], served);
}

/** The command line of a gateway on a port. */
export function httpGatewayLaunch({
  port,
  ...served
}: GatewayOffer & { readonly port: number }): GatewayLaunch {
  return launchOf(["--port", String(port)], served);
}

/** The command line of the background gateway, for a service manager. */
export function backgroundGatewayLaunch(): GatewayLaunch {
  return { command: process.execPath, args: [indusProgram(), "up", "--foreground"] };
}

function indusProgram(): string {
  return fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
}

function launchOf(transport: readonly string[], { sources, cwd, ...served }: GatewayOffer): GatewayLaunch {
  const { profile, listing, policy, lazy = false, skills } = served;
  const given = [
    ...sources.mcp.flatMap((source) => ["--mcp", isUrl(source) ? source : resolve(source)]),
    ...sources.run.flatMap((text) => ["--run", text]),
    ...(sources.tools ?? []).flatMap((word) => ["--tools", word]),
    ...(listing === undefined || listing === "all" ? [] : ["--tools", listing]),
    ...(sources.noTools ? ["--no-tools"] : []),
    ...(lazy ? ["--lazy"] : []),
    ...(skills === undefined ? [] : ["--skills", resolve(cwd ?? ".", skills)]),
    ...(profile === undefined || profile === "read-only" ? [] : ["--profile", profile]),
    ...(policy === undefined || policy.mode === "default" ? [] : ["--mode", policy.mode]),
    ...(policy?.allow ?? []).flatMap((rule) => ["--allow", rule]),
    ...(policy?.deny ?? []).flatMap((rule) => ["--deny", rule]),
  ];
  const folder = cwd === undefined ? [] : ["--cwd", resolve(cwd)];
  return { command: process.execPath, args: [indusProgram(), "serve", ...transport, ...given, ...folder] };
}

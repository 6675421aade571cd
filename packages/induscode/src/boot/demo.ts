import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerConfig } from "indusagi/interop";
import {
  isUrl,
  type PolicyFlags,
  type ServeProfile,
  type ServerSources,
  type ToolsListing,
} from "../launch/internal.ts";

/** The example servers of this package. The last one is broken, to show that the others work all the same. */
export function demoServers(): readonly ServerConfig[] {
  return ["notes", "units", "broken"].map((id) => ({
    kind: "stdio",
    id,
    command: process.execPath,
    args: [fileURLToPath(new URL(`../../demo/${id}.mjs`, import.meta.url))],
  }));
}

/** What a gateway serves. */
export interface Served {
  readonly sources: ServerSources;
  /** Default: `read-only`. */
  readonly profile?: ServeProfile;
  /** Default: `all`. */
  readonly listing?: ToolsListing;
  /** Default: no rules, and the mode `default`. */
  readonly policy?: PolicyFlags;
  /** Default: false. */
  readonly lazy?: boolean;
  /** Absent: the folder in which it is started. */
  readonly cwd?: string;
}

/** A command line. It is absolute: a desktop application has another folder and PATH. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command line of a gateway over stdio. */
export function stdioLaunch({ demo = false, ...served }: Served & { readonly demo?: boolean }): Launch {
  return launchOf(["--stdio", ...(demo ? ["--demo"] : [])], served);
}

/** The command line of a gateway at a port. */
export function serveLaunch({ port, ...served }: Served & { readonly port: number }): Launch {
  return launchOf(["--port", String(port)], served);
}

function launchOf(transport: readonly string[], { sources, cwd, ...served }: Served): Launch {
  const { profile, listing, policy, lazy = false } = served;
  const indus = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
  const given = [
    ...sources.mcp.flatMap((source) => ["--mcp", isUrl(source) ? source : resolve(source)]),
    ...sources.run.flatMap((text) => ["--run", text]),
    ...(sources.tools ?? []).flatMap((word) => ["--tools", word]),
    ...(listing === undefined || listing === "all" ? [] : ["--tools", listing]),
    ...(sources.noTools ? ["--no-tools"] : []),
    ...(lazy ? ["--lazy"] : []),
    ...(profile === undefined || profile === "read-only" ? [] : ["--profile", profile]),
    ...(policy === undefined || policy.mode === "default" ? [] : ["--mode", policy.mode]),
    ...(policy?.allow ?? []).flatMap((rule) => ["--allow", rule]),
    ...(policy?.deny ?? []).flatMap((rule) => ["--deny", rule]),
  ];
  const folder = cwd === undefined ? [] : ["--cwd", resolve(cwd)];
  return { command: process.execPath, args: [indus, "serve", ...transport, ...given, ...folder] };
}

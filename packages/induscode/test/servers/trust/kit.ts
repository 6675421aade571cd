import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TempDir } from "@indus/testkit";
import {
  type DiscoveredServer,
  type DiscoverOptions,
  discoverMcpConfig,
  openTrustStore,
} from "induscode/deck";

/** A project, a home and a state folder of their own, so that no configuration of this machine is read. */
export function world(dir: TempDir) {
  const options: DiscoverOptions = {
    home: dir.at("home"),
    env: { HOME: dir.at("home"), TOKEN: "secret-value" },
    trust: openTrustStore(dir.at("state")),
  };
  const write = (path: string, servers: unknown): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof servers === "string" ? servers : JSON.stringify({ servers }));
    return path;
  };
  return {
    options,
    trust: openTrustStore(dir.at("state")),
    cwd: dir.at("project"),
    project: (servers: unknown) => write(dir.at("project", ".indusvx", "mcp.json"), servers),
    user: (servers: unknown) => write(dir.at("home", ".config", "indusvx", "mcp.json"), servers),
    legacy: (servers: unknown) => write(dir.at("home", ".indusvx", "agent", "mcp.json"), servers),
    discover: () => discoverMcpConfig(dir.at("project"), options),
  };
}

/** The rows as `scope id trust`. */
export const shown = ({ servers }: { readonly servers: readonly DiscoveredServer[] }): string[] =>
  servers.map(({ config, origin, trust }) => `${origin.scope} ${config.id} ${trust}`);

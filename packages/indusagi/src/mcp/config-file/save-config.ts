import { type ServerConfigFile, type ServerEntry, writeServerConfig } from "../../config/index.ts";
import type { MCPConfigFile, MCPServerConfigEntry } from "../contract/index.ts";
import { createConfigError, translateError } from "../errors/index.ts";
import { getProjectConfigPath, getUserConfigPath } from "./config-paths.ts";

/**
 * Saves a configuration as a whole: the old file or the new one, never a half. Its folder is made where it is missing,
 * members that are undefined are left out, and comments of a file that was there stay as far as they can.
 */
export function saveConfig(path: string, config: MCPConfigFile): void {
  try {
    writeServerConfig(path, toConfigFile(config));
  } catch (thrown) {
    throw translateError(thrown, { site: "config" });
  }
}

/** Saves the user's configuration. */
export function saveUserConfig(config: MCPConfigFile): void {
  saveConfig(getUserConfigPath(), config);
}

/** Saves a project's configuration. */
export function saveProjectConfig(config: MCPConfigFile, cwd?: string): void {
  saveConfig(getProjectConfigPath(cwd), config);
}

function toConfigFile({ servers }: MCPConfigFile): ServerConfigFile {
  if (isList(servers)) return { servers: servers.map(toEntry) };
  // A caller without types may have put them elsewhere, and the servers of the file would be gone.
  if (typeof servers !== "object" || servers === null)
    throw createConfigError('the configuration has no "servers", and nothing was saved; put its rows there');
  return {
    servers: Object.fromEntries(Object.entries(servers).map(([name, entry]) => [name, toEntry(entry)])),
  };
}

function isList(servers: MCPConfigFile["servers"]): servers is readonly MCPServerConfigEntry[] {
  return Array.isArray(servers);
}

/** Files have one word for Streamable HTTP. */
function toEntry(entry: Partial<MCPServerConfigEntry>): ServerEntry {
  const { type, ...rest } = entry;
  return { ...rest, type: type === "streamable-http" ? "http" : type };
}

import { type ServerConfigFile, type ServerEntry, writeServerConfig } from "../../config/index.ts";
import type { MCPConfigFile, MCPServerConfigEntry } from "../contract/index.ts";
import { createConfigError, translateError } from "../errors/index.ts";
import { getProjectConfigPath, getUserConfigPath } from "./config-paths.ts";

/**
 * Replaces the configuration in a file atomically. Creates its folder if it is missing, leaves out members that are
 * undefined, and keeps the comments of an existing file where possible.
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
  // Writing a file without servers would delete the existing ones.
  if (typeof servers !== "object" || servers === null)
    throw createConfigError('nothing was saved: the configuration has no "servers"');
  return {
    servers: Object.fromEntries(Object.entries(servers).map(([name, entry]) => [name, toEntry(entry)])),
  };
}

function isList(servers: MCPConfigFile["servers"]): servers is readonly MCPServerConfigEntry[] {
  return Array.isArray(servers);
}

/** In files the type of Streamable HTTP is always written `http`. */
function toEntry(entry: Partial<MCPServerConfigEntry>): ServerEntry {
  const { type, ...rest } = entry;
  return { ...rest, type: type === "streamable-http" ? "http" : type };
}

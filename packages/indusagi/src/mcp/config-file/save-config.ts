import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import {
  projectConfigPath,
  type ServerConfigFile,
  type ServerEntry,
  userConfigPath,
  writeServerConfig,
} from "../../config/index.ts";
import { describeError } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type { MCPConfigFile, MCPServerConfigEntry } from "../contract/index.ts";
import { createConfigError, MCPError, translateError } from "../errors/index.ts";

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

/** `$XDG_CONFIG_HOME/indusvx/mcp.json`, by default `~/.config/indusvx/mcp.json`. */
export function getUserConfigPath(): string {
  const path = userConfigPath();
  if (path === undefined)
    throw createConfigError("the user's configuration folder is unknown; set HOME or XDG_CONFIG_HOME");
  return path;
}

/** `<cwd>/.indusvx/mcp.json`. */
export function getProjectConfigPath(cwd?: string): string {
  return projectConfigPath(definedMembers({ cwd }));
}

/** Creates the folder of the user's configuration if it is missing, and returns its path. */
export function ensureUserConfigDir(): string {
  return ensureFolder(dirname(getUserConfigPath()));
}

/** Creates the folder of a project's configuration if it is missing, and returns its path. */
export function ensureProjectConfigDir(cwd?: string): string {
  return ensureFolder(dirname(getProjectConfigPath(cwd)));
}

/** A configuration without servers. */
export function createDefaultConfig(): { servers: MCPServerConfigEntry[] } {
  return { servers: [] };
}

/** An example for documentation. Variables such as `${GITHUB_TOKEN}` are replaced when the file is read. */
export const EXAMPLE_CONFIG: MCPConfigFile = Object.freeze({
  servers: [
    {
      name: "filesystem",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "."],
    },
    {
      name: "github",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-github"],
      env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" },
    },
    {
      name: "remote-server",
      url: "https://example.com/mcp",
      headers: { Authorization: "Bearer ${REMOTE_TOKEN}" },
      enabled: false,
    },
  ],
});

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

function ensureFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch (cause) {
    const message = `cannot create the folder ${JSON.stringify(folder)}: ${describeError(cause)}`;
    throw new MCPError(message, "CONFIG_ERROR", { folder }, { cause });
  }
}

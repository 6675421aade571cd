import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { projectConfigPath, userConfigPath } from "../../config/index.ts";
import { describeError } from "../../core/index.ts";
import { createConfigError, MCPError } from "../errors/index.ts";

/** `$XDG_CONFIG_HOME/indusvx/mcp.json`, by default `~/.config/indusvx/mcp.json`. */
export function getUserConfigPath(): string {
  const path = userConfigPath();
  if (path === undefined)
    throw createConfigError("the user's configuration folder is unknown; set HOME or XDG_CONFIG_HOME");
  return path;
}

/** `<cwd>/.indusvx/mcp.json`. */
export function getProjectConfigPath(cwd?: string): string {
  return projectConfigPath(cwd === undefined ? {} : { cwd });
}

/** Creates the folder of the user's configuration if it is missing, and returns its path. */
export function ensureUserConfigDir(): string {
  return ensureFolder(dirname(getUserConfigPath()));
}

/** Creates the folder of a project's configuration if it is missing, and returns its path. */
export function ensureProjectConfigDir(cwd?: string): string {
  return ensureFolder(dirname(getProjectConfigPath(cwd)));
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

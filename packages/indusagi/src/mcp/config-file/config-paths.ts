import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { projectConfigPath, userConfigPath } from "../../config/index.ts";
import { describeError } from "../../core/index.ts";
import { createConfigError, MCPError } from "../errors/index.ts";

/** `$XDG_CONFIG_HOME/indusvx/mcp.json`, by default `~/.config/indusvx/mcp.json`. */
export function getUserConfigPath(): string {
  const path = userConfigPath();
  if (path === undefined)
    throw createConfigError(
      "there is no home folder for the user's configuration; set HOME or XDG_CONFIG_HOME",
    );
  return path;
}

/** `<cwd>/.indusvx/mcp.json`. */
export function getProjectConfigPath(cwd?: string): string {
  return projectConfigPath(cwd === undefined ? {} : { cwd });
}

/** Makes the folder of the user's configuration where it is missing, and names it. */
export function ensureUserConfigDir(): string {
  return ensured(dirname(getUserConfigPath()));
}

/** Makes the folder of a project's configuration where it is missing, and names it. */
export function ensureProjectConfigDir(cwd?: string): string {
  return ensured(dirname(getProjectConfigPath(cwd)));
}

function ensured(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch (cause) {
    const message = `the folder ${JSON.stringify(folder)} cannot be made: ${describeError(cause)}`;
    throw new MCPError(message, "CONFIG_ERROR", { folder }, { cause });
  }
}

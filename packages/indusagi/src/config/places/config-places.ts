import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Environment } from "../../core/index.ts";
import type { ConfigPlace } from "../contract.ts";

/** Where to look for configuration. Defaults are read at each call, not at import. */
export interface PlaceOptions {
  /** The project's folder. Default: the current folder. */
  readonly cwd?: string;
  /** Default: `HOME` (on Windows `USERPROFILE`) in `env`, then the system's home folder. */
  readonly home?: string;
  /** Default: this process's environment. */
  readonly env?: Environment;
  /** Default: this process's platform. */
  readonly platform?: NodeJS.Platform;
}

/**
 * The four configuration files, in order of precedence: the project's, the user's, and two legacy files.
 * macOS and Windows use the same places under the home folder, not `Library` or `AppData`, so the docs name one path.
 */
export function configPlaces(options: PlaceOptions = {}): ConfigPlace[] {
  const home = homeFolder(options);
  const paths = pathsOf(options);
  const user = userConfigPath(options);
  return [
    { scope: "project", file: projectConfigPath(options) },
    ...(user === undefined ? [] : [{ scope: "user", file: user } as const]),
    ...(home === undefined
      ? []
      : ["mcp.json", "mcp-servers.json"].map(
          (name) => ({ scope: "legacy", file: paths.join(home, ".indusvx", "agent", name) }) as const,
        )),
  ];
}

/** `<cwd>/.indusvx/mcp.json`. */
export function projectConfigPath(options: PlaceOptions = {}): string {
  return pathsOf(options).resolve(options.cwd ?? process.cwd(), ".indusvx", "mcp.json");
}

/** `$XDG_CONFIG_HOME/indusvx/mcp.json`, by default `~/.config/indusvx/mcp.json`; `undefined` without a home folder. */
export function userConfigPath(options: PlaceOptions = {}): string | undefined {
  const paths = pathsOf(options);
  const xdg = (options.env ?? process.env)["XDG_CONFIG_HOME"];
  // A relative or empty value counts as unset.
  if (xdg !== undefined && paths.isAbsolute(xdg)) return paths.join(xdg, "indusvx", "mcp.json");
  const home = homeFolder(options);
  return home === undefined ? undefined : paths.join(home, ".config", "indusvx", "mcp.json");
}

/** The home folder, for the places and for `${userHome}`. */
export function homeFolder({ home, env = process.env, ...rest }: PlaceOptions = {}): string | undefined {
  const paths = pathsOf(rest);
  const names = platformOf(rest) === "win32" ? ["USERPROFILE", "HOME"] : ["HOME"];
  return [home, ...names.map((name) => env[name]), systemHome()].find(
    (folder): folder is string => folder !== undefined && paths.isAbsolute(folder),
  );
}

function systemHome(): string | undefined {
  try {
    return homedir();
  } catch {
    // No home in the environment and no entry in the user table, as in some containers.
    return undefined;
  }
}

function platformOf({ platform }: PlaceOptions): NodeJS.Platform {
  return platform ?? process.platform;
}

function pathsOf(options: PlaceOptions): typeof posix {
  return platformOf(options) === "win32" ? win32 : posix;
}

import { posix, win32 } from "node:path";
import { homeFolder } from "indusagi/config";
import { contentHash, type Environment } from "indusagi/core";

export interface StatePlaceOptions {
  /** Default: the environment of this process. */
  readonly env?: Environment;
  /** Default: the platform of this process. */
  readonly platform?: NodeJS.Platform;
}

const MAX_SLUG_CHARS = 40;
const HASH_CHARS = 16;

/**
 * The folder that holds the state of all workspaces: `$XDG_STATE_HOME/indusvx`, by default `~/.local/state/indusvx`. On
 * Windows the default is `%LOCALAPPDATA%\indusvx\State`. Undefined without a home folder. The environment is read at each
 * call; an empty or relative value counts as unset, as the XDG specification requires.
 */
export function stateRoot(options: StatePlaceOptions = {}): string | undefined {
  return rootOf({ variable: "XDG_STATE_HOME", inHome: [".local", "state"], inProfile: "State" }, options);
}

/**
 * The folder for what can be recreated at any time: `$XDG_CACHE_HOME/indusvx`, by default `~/.cache/indusvx`, on Windows
 * `%LOCALAPPDATA%\indusvx\Cache`. `bin/code-cache.js` keeps compiled code in it.
 */
export function cacheRoot(options: StatePlaceOptions = {}): string | undefined {
  return rootOf({ variable: "XDG_CACHE_HOME", inHome: [".cache"], inProfile: "Cache" }, options);
}

interface Place {
  readonly variable: string;
  readonly inHome: readonly string[];
  readonly inProfile: string;
}

function rootOf(
  { variable, inHome, inProfile }: Place,
  { env = process.env, platform = process.platform }: StatePlaceOptions,
): string | undefined {
  const paths = platform === "win32" ? win32 : posix;
  const absolute = (name: string): string | undefined => {
    const value = env[name];
    return value !== undefined && paths.isAbsolute(value) ? value : undefined;
  };
  const xdg = absolute(variable);
  if (xdg !== undefined) return paths.join(xdg, "indusvx");
  const home = homeFolder({ env, platform });
  if (platform !== "win32") return home && paths.join(home, ...inHome, "indusvx");
  const local = absolute("LOCALAPPDATA") ?? (home && paths.join(home, "AppData", "Local"));
  return local && paths.join(local, "indusvx", inProfile);
}

/**
 * The name of a workspace's folder: readable, and different for each real path.
 */
export function workspaceFolderName(realPath: string): string {
  const name = realPath.split(/[\\/]/).findLast((part) => part !== "") ?? "";
  return hashedName(name, realPath, "workspace");
}

/** A file name with a readable slug of `name` and a hash of `identity`. `fallback` replaces an empty slug. */
export function hashedName(name: string, identity: string, fallback: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_CHARS)
    .replaceAll(/^-+|-+$/g, "");
  return `${slug || fallback}-${contentHash(identity).slice(0, HASH_CHARS)}`;
}

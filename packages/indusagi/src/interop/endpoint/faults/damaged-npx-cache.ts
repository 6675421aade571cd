import { type Environment, safeEnvironment, shellWord } from "../../../core/index.ts";
import type { ServerConfig } from "../../contract/index.ts";
import { npxPackages } from "../connect/installed-package.ts";

/** The parts of the system used here; replaced in tests. */
export interface NpxMachine {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  isFolder(path: string): boolean;
}

/** npm and Node name the folder in these cases: two concurrent installations, or missing or truncated files. */
const DAMAGE =
  /\bcode (?:ENOTEMPTY|EEXIST)\b|\bTAR_ENTRY_ERROR\b|MODULE_NOT_FOUND|ERR_INVALID_PACKAGE_CONFIG|Cannot find (?:module|package) /;
/** In these cases they do not: the command or the list of packages in the folder is missing or truncated. */
const NAMELESS_DAMAGE =
  /: (?:command )?not found\b|is not recognized as an internal or external command|could not determine executable to run|\bEJSONPARSE\b/;

const FOLDER = /[\\/]_npx[\\/][0-9a-f]{16}(?![0-9a-f])/g;
/** A server may write anything, so the number of matches and characters examined is limited. */
const MAX_PLACES = 20;
const MAX_PATH = 1024;

/**
 * The damaged npx cache folder of a launch with npx, found from its standard error. Each set of packages has its own folder, so
 * removing it affects no other server. Only an existing folder is returned.
 */
export function damagedNpxFolder(
  config: ServerConfig,
  stderr: string,
  machine: NpxMachine = thisMachine(),
): string | undefined {
  const packages = npxPackages(config);
  if (!packages || config.kind !== "stdio") return undefined;
  if (DAMAGE.test(stderr)) {
    const named = foldersIn(stderr).find((folder) => machine.isFolder(folder));
    if (named !== undefined) return named;
  }
  if (!NAMELESS_DAMAGE.test(stderr) || packages.length === 0) return undefined;
  const cache = cacheFolder(safeEnvironment(config.env, machine.env), machine.platform);
  if (cache === undefined) return undefined;
  const { sep } = pathsOf(machine.platform);
  const folder = [cache, "_npx", folderName(packages)].join(sep);
  return machine.isFolder(folder) ? folder : undefined;
}

/** The command that removes this folder and nothing else. On Windows for PowerShell and `cmd.exe`; never run there. */
export function removalCommand(folder: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return `cmd /c rmdir /s /q "${folder}"`;
  return `rm -rf -- ${shellWord(folder)}`;
}

/** The absolute paths of cache folders in a text. They may contain spaces, or begin as a `file:` URL. */
function foldersIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const { index, 0: end } of [...text.matchAll(FOLDER)].slice(0, MAX_PLACES)) {
    const before =
      text
        .slice(Math.max(0, index - MAX_PATH), index)
        .split("\n")
        .at(-1) ?? "";
    const beginnings = [/[^\s'"()]*$/, /[^'"]*$/, /(?<=\bpath ).*$/, /(?<=\bfrom ).*$/];
    for (const beginning of beginnings) {
      const path = `${beginning.exec(before)?.[0] ?? ""}${end}`.replace(/^file:\/\/(?:\/(?=[A-Za-z]:))?/, "");
      if (isPlainPath(path)) found.add(path);
    }
  }
  return [...found];
}

/** The path becomes part of a command that the user may run, so it must contain nothing deceptive. */
function isPlainPath(path: string): boolean {
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(path) || /\p{C}|["%]/u.test(path)) return false;
  return !path.split(/[\\/]/).includes("..");
}

/** As in npm (`libnpmexec`): a hash of the packages as written. */
function folderName(packages: readonly string[]): string {
  const sorted = [...packages].sort((a, b) => a.localeCompare(b, "en"));
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha512").update(sorted.join("\n")).digest("hex").slice(0, 16);
}

function cacheFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const set = env["npm_config_cache"] ?? env["NPM_CONFIG_CACHE"];
  if (set !== undefined) return set;
  const [base, name] =
    platform === "win32" ? ([env["LOCALAPPDATA"], "npm-cache"] as const) : ([env["HOME"], ".npm"] as const);
  return base === undefined ? undefined : [base, name].join(pathsOf(platform).sep);
}

function pathsOf(platform: NodeJS.Platform): { readonly sep: string } {
  const paths = process.getBuiltinModule("node:path");
  return platform === "win32" ? paths.win32 : paths.posix;
}

function thisMachine(): NpxMachine {
  const { statSync } = process.getBuiltinModule("node:fs");
  return {
    platform: process.platform,
    env: process.env,
    isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  };
}

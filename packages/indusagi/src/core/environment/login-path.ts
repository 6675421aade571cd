import { basename, delimiter, isAbsolute } from "node:path";
import { mintUlid } from "../ulid.ts";
import { readCommand } from "./read-command.ts";
import { type Environment, safeEnvironment } from "./safe-env.ts";

export interface LoginPathOptions {
  /** Default: the environment of this process. */
  readonly env?: Environment;
  /** Default: this process's platform. */
  readonly platform?: NodeJS.Platform;
  /** How long the shell may take. Default 5 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Folders in the default `PATH`, before a shell has read its startup files. */
const SYSTEM_FOLDERS = new Set(
  "/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin /usr/local/games /usr/games /snap/bin".split(
    " ",
  ),
);
/** Shells that support `-i`, `-l` and `-c`. */
const SHELLS = new Set(["sh", "bash", "zsh", "fish", "dash", "ksh"]);
const MAX_BYTES = 256 * 1024;

/**
 * True if the environment looks like that of a program started from a desktop: no terminal, no shell, and only system
 * folders in `PATH`. Programs that the user installed, such as `npx`, are not found then. Always false on Windows, where
 * desktop programs have the same `PATH` as a terminal.
 */
export function lacksLoginPath({
  env = process.env,
  platform = process.platform,
}: LoginPathOptions = {}): boolean {
  if (platform !== "darwin" && platform !== "linux") return false;
  if (env["TERM"] || Number(env["SHLVL"] ?? 0) > 0 || shellOf(env) === undefined) return false;
  const folders = foldersOf(env["PATH"] ?? "");
  return folders.length > 0 && folders.every((folder) => SYSTEM_FOLDERS.has(folder));
}

/**
 * The `PATH` of the user's login shell, followed by the folders that only ours has. Undefined if ours needs no repair or
 * the shell does not answer in time. Ends the shell's whole process tree. Prints nothing.
 */
export async function loginPath(options: LoginPathOptions = {}): Promise<string | undefined> {
  const { env = process.env, timeoutMs = 5000, signal } = options;
  const shell = shellOf(env);
  if (shell === undefined || !lacksLoginPath(options)) return undefined;
  // Startup files may print anything, so the value is printed between marks. `printenv` is the same in every shell.
  const mark = `indus-${mintUlid()}`;
  const script = `printf %s ${mark}; /usr/bin/printenv PATH; printf %s ${mark}`;
  const reading = await readCommand([shell, "-i", "-l", "-c", script], {
    env: safeEnvironment({ TERM: "dumb" }, env),
    timeoutMs,
    maxBytes: MAX_BYTES,
    signal,
  });
  if ("problem" in reading) return undefined;
  const [, value = ""] = reading.text.split(mark);
  const found = foldersOf(value.trim()).filter((folder) => isAbsolute(folder) && !folder.includes("\0"));
  if (found.length === 0) return undefined;
  return [...new Set([...found, ...foldersOf(env["PATH"] ?? "")])].join(delimiter);
}

function foldersOf(path: string): string[] {
  return path.split(delimiter).filter((folder) => folder !== "");
}

/** The user's login shell, if we know how to call it. */
function shellOf(env: Environment): string | undefined {
  const shell = env["SHELL"] || shellOfAccount();
  return shell && isAbsolute(shell) && SHELLS.has(basename(shell)) ? shell : undefined;
}

function shellOfAccount(): string | undefined {
  try {
    return process.getBuiltinModule("node:os").userInfo().shell ?? undefined;
  } catch {
    return undefined; // A user without an account, as in some containers.
  }
}

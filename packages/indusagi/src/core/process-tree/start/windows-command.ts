import type * as nodeFs from "node:fs";
import { win32 } from "node:path";
import type { Environment } from "../../environment/safe-env.ts";
import { SpawnError } from "./spawn-error.ts";

/** What `spawn` must be given to run a command on Windows. */
export interface WindowsCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** `args` is a command line that is quoted already. */
  readonly verbatimArguments: boolean;
  /** What the program needs in its environment. */
  readonly env: Environment;
}

export interface WindowsCommandOptions {
  /** Relative commands start here. */
  readonly cwd: string;
  /** The environment of the program. */
  readonly env: Environment;
}

/**
 * Finds the program of a command as `cmd.exe` does, with `PATHEXT`, except that the working directory is not searched: a
 * project could contain an `npx.cmd`. `CreateProcess` runs only `.exe` and `.com` files, so a batch file is run by `cmd.exe`
 * and a script by the program in its first line. Throws a `SpawnError`.
 */
export function windowsCommand(
  command: string,
  args: readonly string[],
  { cwd, env }: WindowsCommandOptions,
): WindowsCommand {
  const read = environmentReader(env);
  const path = read("PATH") ?? "";
  const pathExt = read("PATHEXT") || process.env["PATHEXT"] || PATHEXT;
  const find = (name: string): string => {
    const file = programPaths(name, { cwd, path, pathExt }).find(isFile);
    if (file !== undefined) return file;
    throw new SpawnError(`could not start ${JSON.stringify(name)}: there is no such command`, {
      code: "ENOENT",
    });
  };
  const file = find(command);
  if (EXECUTABLE.test(file)) return { file, args, verbatimArguments: false, env: {} };
  const interpreter = BATCH.test(file) ? undefined : shebangOf(file);
  if (interpreter !== undefined)
    return windowsCommand(find(interpreter.name), [...interpreter.args, file, ...args], { cwd, env });
  return {
    file: process.env["ComSpec"] ?? "C:\\Windows\\System32\\cmd.exe",
    // No AutoRun of the registry, extensions on, `!NAME!` off, and the outer quotes removed.
    args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${batchCommandLine(file, args)}"`],
    verbatimArguments: true,
    // A batch file usually starts a program by its name; `cmd.exe` would look in the working directory first.
    env: read(NO_CURRENT_DIRECTORY) === undefined ? { [NO_CURRENT_DIRECTORY]: "1" } : {},
  };
}

const PATHEXT = ".COM;.EXE;.BAT;.CMD";
const NO_CURRENT_DIRECTORY = "NoDefaultCurrentDirectoryInExePath";
const EXECUTABLE = /\.(?:exe|com)$/i;
const BATCH = /\.(?:bat|cmd)$/i;

/** Windows ignores the case of names. */
function environmentReader(env: Environment): (name: string) => string | undefined {
  const byName = new Map(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
  return (name) => byName.get(name.toUpperCase());
}

export interface ProgramSearch {
  readonly cwd: string;
  readonly path: string;
  readonly pathExt: string;
}

/** The files that a command may mean, best first. A command with a folder is not searched for in `path`. */
export function programPaths(command: string, { cwd, path, pathExt }: ProgramSearch): string[] {
  const hasFolder = /[\\/]|^[A-Za-z]:/.test(command);
  const entries = path.split(";").map((entry) => entry.replaceAll('"', ""));
  const folders = hasFolder ? [cwd] : entries.filter((entry) => win32.isAbsolute(entry));
  const endings = pathExt.split(";").filter((ending) => ending.startsWith("."));
  // A plain name without an ending comes last: npm puts a script for other systems next to each `.cmd`.
  const names = win32.basename(command).includes(".") ? ["", ...endings] : [...endings, ""];
  return folders.flatMap((folder) => names.map((ending) => win32.resolve(folder, command + ending)));
}

/** Loaded on first use, as in `core/files`. */
const fs = (): typeof nodeFs => process.getBuiltinModule("node:fs");

function isFile(path: string): boolean {
  try {
    // The aliases of the Store are links that cannot be followed.
    return !fs().lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The program that a script names in its first line: `#!/usr/bin/env node` is `node`. */
function shebangOf(file: string): { readonly name: string; readonly args: readonly string[] } | undefined {
  const handle = fs().openSync(file, "r");
  try {
    const start = Buffer.alloc(200);
    const text = start.toString("utf8", 0, fs().readSync(handle, start, 0, start.length, 0));
    const [path, ...rest] = /^#!\s*(.*)/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
    const name = win32.basename(path ?? "");
    const [called, ...args] = name === "env" ? rest.filter((word) => word !== "-S") : [name, ...rest];
    return called === undefined || called === "" ? undefined : { name: called, args };
  } finally {
    fs().closeSync(handle);
  }
}

/** The limit of `cmd.exe` for a line, less the switches before it. */
const MAX_LINE = 8_191 - 200;

/**
 * A line for `cmd.exe` that runs a batch file with exactly these arguments. The line is read twice: by `cmd.exe`, and again
 * in the batch file where it passes `%*` on. So a quote is doubled, not escaped with `\` or `^`: then every other character
 * stays between quotes in both readings, and `&` never starts a second command. Throws a `SpawnError` for what cannot be
 * passed.
 */
export function batchCommandLine(file: string, args: readonly string[]): string {
  const name = win32.basename(file);
  const broken = args.findIndex((arg) => /[\r\n]/.test(arg));
  if (broken !== -1)
    throw new SpawnError(
      `could not start ${JSON.stringify(name)}: argument ${broken + 1} contains a line break, which a batch file cannot receive; start the program itself`,
      { code: "EINVAL" },
    );
  const line = [quoted(file), ...args.map((arg) => (PLAIN.test(arg) ? arg : quoted(arg)))].join(" ");
  if (line.length <= MAX_LINE) return line;
  const problem = `its arguments have ${line.length} characters, a batch file can receive ${MAX_LINE}`;
  throw new SpawnError(`could not start ${JSON.stringify(name)}: ${problem}; start the program itself`, {
    code: "E2BIG",
  });
}

/** Left as it is: a batch file may compare it with a word. */
const PLAIN = /^[\w#$+\-./:@\\]*[\w#$+\-./:@]$/;

/** As the C library of Windows reads it: `""` between quotes is a quote, and `\` is special only before one. */
function quoted(arg: string): string {
  return `"${arg
    .replaceAll(/(\\*)"/g, '$1$1""')
    .replace(/\\+$/, "$&$&")
    // An expansion to nothing: it ends a variable's name, so `%PATH%` stays as it is.
    .replaceAll("%", "%%cd:~,%")}"`;
}

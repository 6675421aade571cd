import type { Shell, ShellOptions } from "../contract/index.ts";
import { execLocally } from "./local-shell-exec.ts";
import { spawnLocally } from "./local-shell-spawn.ts";

export interface LocalShellOptions {
  /** Added to the safe environment of every command; `undefined` takes a name away. */
  readonly env?: NonNullable<ShellOptions["env"]>;
  /** The shell that reads the command line. Default: bash, else sh; `cmd.exe` on Windows. */
  readonly shellPath?: string;
}

/**
 * This machine's shell. Commands get an empty standard input, an environment without secrets, no start-up files and
 * no terminal; each is a process tree of its own that is ended as a whole.
 */
export function localShell(options: LocalShellOptions = {}): Shell {
  return {
    exec: (command, execOptions = {}) => execLocally(command, execOptions, options),
    spawn: (command, spawnOptions = {}) => spawnLocally(command, spawnOptions, options),
  };
}

import type { Shell, ShellOptions } from "../contract/index.ts";

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
  // Loaded by the first command: a session that runs none does not pay for it.
  return {
    exec: async (command, execOptions = {}) => {
      const { execLocally } = await import("./local-shell-exec.ts");
      return execLocally(command, execOptions, options);
    },
    spawn: async (command, spawnOptions = {}) => {
      const { spawnLocally } = await import("./local-shell-spawn.ts");
      return spawnLocally(command, spawnOptions, options);
    },
  };
}

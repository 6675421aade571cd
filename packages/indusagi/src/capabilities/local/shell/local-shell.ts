import type { Shell } from "../../contract/index.ts";
import type { LocalShellOptions } from "./launch-shell.ts";

/**
 * This machine's shell. Commands get an empty standard input, an environment without secrets, no start-up files and
 * no terminal. Each runs as its own process tree, which ends as a whole.
 */
export function localShell(options: LocalShellOptions = {}): Shell {
  // Loaded by the first command, because many sessions run none.
  return {
    exec: async (command, execOptions = {}) => {
      const { execLocally } = await import("./exec-command.ts");
      return execLocally(command, execOptions, options);
    },
    spawn: async (command, spawnOptions = {}) => {
      const { spawnLocally } = await import("./spawn-command.ts");
      return spawnLocally(command, spawnOptions, options);
    },
  };
}

import type { ShellOptions } from "../../contract/index.ts";

export interface LocalShellOptions {
  /** Added to the safe environment of every command; `undefined` removes a name. */
  readonly env?: NonNullable<ShellOptions["env"]>;
  /** The shell that reads the command line. Default: bash, else sh; `cmd.exe` on Windows. */
  readonly shellPath?: string;
}

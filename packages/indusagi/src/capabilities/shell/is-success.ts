import type { ShellExit } from "../contract/index.ts";

export function isSuccess({ code, signal }: ShellExit): boolean {
  return code === 0 && signal === undefined;
}

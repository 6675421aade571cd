import { escapeForDisplay } from "indusagi/core";
import type { FileEdit, Run } from "../../boot/internal.ts";

/** Prints what was done to which file, and where the copy of the file before is. */
export function tellEdit({ terminal }: Run, done: string, { path, backup }: FileEdit): void {
  const copy = backup === undefined ? "" : ` (copy of the file before: ${backup})`;
  terminal.out(`${escapeForDisplay(`${done} ${path}${copy}`)}\n`);
}

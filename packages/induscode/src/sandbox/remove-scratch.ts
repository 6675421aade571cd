import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes the temporary files of commands. Never throws: what is left does no harm. */
export function removeScratch(folder: string): void {
  try {
    remove(folder);
  } catch {
    // Some programs take away the right to change their folders, as Go does for modules.
    try {
      makeWritable(folder);
      remove(folder);
    } catch {
      // The system empties its folder for temporary files itself.
    }
  }
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
}

import type * as nodeFs from "node:fs";

/**
 * Removes the temporary files of commands. Never throws: what is left does no harm. The watchdog runs the text of this function
 * in a program of its own: it uses nothing but its arguments.
 */
export function removeScratch(disk: typeof nodeFs, folder: string): void {
  const remove = (): void => disk.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const makeWritable = (path: string): void => {
    disk.chmodSync(path, 0o700);
    for (const entry of disk.readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) makeWritable(`${path}/${entry.name}`);
  };
  try {
    remove();
  } catch {
    // Some programs take away the right to change their folders, as Go does for modules.
    try {
      makeWritable(folder);
      remove();
    } catch {
      // The system empties its folder for temporary files itself.
    }
  }
}

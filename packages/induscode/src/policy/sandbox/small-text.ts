import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Real submodule lists and ignore patterns are far smaller. */
export const MAX_TEXT_BYTES: number = 1024 * 1024;

/**
 * Safely reads a file that a command may have planted: does not follow links, block on pipes, or read devices and large files.
 * Undefined if there is no such file.
 */
export function smallText(path: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants; // Windows has none but the first; `|` takes undefined as 0.
  let file: number | undefined;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    const found = fstatSync(file);
    if (!found.isFile() || found.size > MAX_TEXT_BYTES) return undefined;
    // Only up to this size: it may grow meanwhile.
    const bytes = Buffer.alloc(found.size);
    return bytes.toString("utf8", 0, readSync(file, bytes));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

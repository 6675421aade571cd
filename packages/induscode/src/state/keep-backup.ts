import { mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { contentHash, mintUlid, replaceFileSync } from "indusagi/core";

const FOLDER = "backups";
/** Per file. */
const MAX_BACKUPS = 20;

/**
 * Copies a file that is about to change. Only the owner can read the copy, because it may contain tokens. The oldest copies
 * beyond the limit are removed. Returns the path of the copy; throws if it cannot be written.
 */
export function keepBackup(root: string, path: string, text: string): string {
  const folder = join(root, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const prefix = `${contentHash(path).slice(0, 8)}-`;
  const copy = join(folder, `${prefix}${mintUlid()}-${basename(path)}`);
  replaceFileSync({ path: copy, content: Buffer.from(text), mode: 0o600 });
  const own = readdirSync(folder).filter((name) => name.startsWith(prefix));
  for (const name of own.toSorted().slice(0, -MAX_BACKUPS)) removeIfThere(join(folder, name));
  return copy;
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process removed it, or we may not: an extra copy does no harm.
  }
}

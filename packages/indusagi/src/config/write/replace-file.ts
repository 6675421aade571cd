import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { mintUlid } from "../../core/index.ts";

/** Only the owner may read a new file: it may hold tokens. */
const NEW_FILE_MODE = 0o600;

/**
 * Puts a text in place of a file so that a reader, or a crash, finds the old one or the new one whole: written beside
 * it, flushed, and renamed. Mode and owner of what was there stay as far as we are allowed to keep them.
 */
export function replaceFile(path: string, text: string, existing?: Stats): void {
  const temporary = join(dirname(path), `.${basename(path)}.${mintUlid()}.tmp`);
  try {
    writeFlushed(temporary, Buffer.from(text, "utf8"), existing);
    renameSync(temporary, path);
  } catch (thrown) {
    removeQuietly(temporary);
    throw thrown;
  }
  flushFolder(dirname(path));
}

function writeFlushed(path: string, bytes: Buffer, existing: Stats | undefined): void {
  const handle = openSync(path, "wx", NEW_FILE_MODE);
  try {
    // A nearly full disk takes a part first and fails only then.
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(handle, bytes, offset);
    if (existing) keepAttributes(handle, existing);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function keepAttributes(handle: number, { uid, gid, mode }: Stats): void {
  try {
    if (uid !== process.getuid?.() || gid !== process.getgid?.()) fchownSync(handle, uid, gid);
  } catch {
    // Only a privileged user may give a file away; the content counts more.
  }
  // After the owner: a change of owner clears bits.
  fchmodSync(handle, mode & 0o7777);
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made, or is already renamed.
  }
}

/** So that the rename itself survives a crash. Windows cannot open a folder, and needs no such step. */
function flushFolder(folder: string): void {
  if (process.platform === "win32") return;
  try {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Some file systems refuse; the file itself is flushed.
  }
}

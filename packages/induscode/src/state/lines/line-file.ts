import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";

/** A full file is renamed with this suffix and replaces the one before. */
const OLDER = ".1";

/** The files with the lines of a path: the current one and the full one before it. */
export function lineFiles(path: string): readonly [newer: string, older: string] {
  return [path, `${path}${OLDER}`];
}

/**
 * Appends lines. A file that would exceed the limit is rotated first, so a path never needs more than twice the limit. Two
 * processes that rotate at the same moment lose older lines, never new ones. Throws if the file cannot be written.
 */
export function appendLines(path: string, lines: string, maxBytes: number): void {
  const bytes = Buffer.from(lines);
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (size > 0 && size + bytes.length > maxBytes) renameSync(path, `${path}${OLDER}`);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  // Windows has no O_NOFOLLOW; `|` takes undefined as 0.
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    writeSync(file, bytes.subarray(-maxBytes));
  } finally {
    closeSync(file);
  }
}

/** The text of a path, preceded by its rotated file. Empty if there is none. */
export function readLines(path: string): string {
  return readFrom(`${path}${OLDER}`, 0).text + readFrom(path, 0).text;
}

/** The position of a reader in a growing file. */
export interface LinePlace {
  readonly inode: number;
  readonly offset: number;
}

/** The end of a file. */
export function endOf(path: string): LinePlace {
  const found = statSync(path, { throwIfNoEntry: false });
  return { inode: found?.ino ?? 0, offset: found?.size ?? 0 };
}

/** The text after a place, even if the file was rotated since, and the new place. */
export function readSince(
  path: string,
  place: LinePlace,
): { readonly text: string; readonly place: LinePlace } {
  const found = endOf(path);
  if (found.inode === place.inode) {
    const { text, bytes } = readFrom(path, place.offset);
    return { text, place: { inode: place.inode, offset: place.offset + bytes } };
  }
  const wasRotated = endOf(`${path}${OLDER}`).inode === place.inode;
  const rest = wasRotated ? readFrom(`${path}${OLDER}`, place.offset).text : "";
  const { text, bytes } = readFrom(path, 0);
  return { text: rest + text, place: { inode: found.inode, offset: bytes } };
}

/** Whole lines only: the last one may be incomplete. Never follows a link, never blocks on a pipe. */
function readFrom(path: string, offset: number): { readonly text: string; readonly bytes: number } {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(file);
    const wanted = Buffer.alloc(found.isFile() ? Math.max(0, found.size - offset) : 0);
    const read = wanted.subarray(0, readSync(file, wanted, { position: offset }));
    const bytes = read.lastIndexOf("\n") + 1;
    return { text: read.toString("utf8", 0, bytes), bytes };
  } catch {
    return { text: "", bytes: 0 };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The JSON object in a line. Undefined if there is none: a power cut may leave half a line. */
export function parseLine(line: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

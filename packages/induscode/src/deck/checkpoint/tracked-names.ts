import { join } from "node:path";
import { readPlainFile } from "./work-tree.ts";

const MAX_INDEX_BYTES = 32 * 1024 * 1024;

/**
 * The paths in a repository's index, relative to its work tree: git tracks them whatever the ignore rules say. Empty if there
 * is no index, or it is larger than 32 MiB, split, damaged or of an unknown version.
 */
export function trackedNames(git: string): readonly string[] {
  const bytes = readPlainFile(join(git, "index"), MAX_INDEX_BYTES);
  if (!bytes || bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return [];
  // The index does not say whether its hashes are SHA-1 or SHA-256.
  for (const hashBytes of [20, 32]) {
    const names = parseIndex(bytes, hashBytes);
    if (names) return names;
  }
  return [];
}

const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size. */
const STAT_BYTES = 40;
const IS_EXTENDED = 0x4000;

/** See gitformat-index(5). Undefined if it does not fit. */
function parseIndex(bytes: Buffer, hashBytes: number): string[] | undefined {
  const version = bytes.readUInt32BE(4);
  const end = bytes.length - hashBytes;
  if (version < 2 || version > 4) return undefined;
  const names: string[] = [];
  let [at, last, nameBytes] = [HEADER_BYTES, Buffer.alloc(0), 0];
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const start = at;
    at += STAT_BYTES + hashBytes;
    if (at + 2 > end) return undefined;
    const flags = bytes.readUInt16BE(at);
    at += version > 2 && flags & IS_EXTENDED ? 4 : 2;
    let kept = 0;
    if (version === 4) {
      const stripped = readVarint(bytes, at);
      if (!stripped || stripped.value > last.length) return undefined;
      kept = last.length - stripped.value;
      at = stripped.end;
    }
    const stop = bytes.indexOf(0, at);
    if (stop === -1 || stop >= end) return undefined;
    const name = Buffer.concat([last.subarray(0, kept), bytes.subarray(at, stop)]);
    // In version 4 a few bytes can encode a long name.
    nameBytes += name.length;
    if (nameBytes > MAX_INDEX_BYTES) return undefined;
    // The flags hold its length, capped at 0xfff.
    if (name.length === 0 || Math.min(name.length, 0xfff) !== (flags & 0xfff)) return undefined;
    names.push(name.toString("utf8"));
    last = name;
    // Up to version 3, entries are padded with one to eight bytes.
    at = version === 4 ? stop + 1 : start + Math.floor((stop - start + 8) / 8) * 8;
  }
  return names;
}

/** The encoding of offsets in pack files. */
function readVarint(
  bytes: Buffer,
  start: number,
): { readonly value: number; readonly end: number } | undefined {
  let [at, value] = [start, 0];
  for (let count = 0; count < 4 && at < bytes.length; count += 1) {
    const byte = bytes[at] ?? 0;
    at += 1;
    value = (count === 0 ? 0 : (value + 1) * 128) + (byte & 0x7f);
    if (byte < 0x80) return { value, end: at };
  }
  return undefined;
}

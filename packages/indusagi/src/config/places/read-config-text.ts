import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { errorCode } from "../../core/index.ts";
import { MAX_CONFIG_BYTES, type TextReading } from "../contract.ts";

// Without O_NONBLOCK, opening a FIFO waits for a writer. Windows has neither the flags nor the problem.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Reads a small regular file as UTF-8. Never blocks, never reads more than `maxBytes`, never throws. */
export function readConfigText(
  path: string,
  { maxBytes = MAX_CONFIG_BYTES }: { readonly maxBytes?: number } = {},
): TextReading {
  let handle: number | undefined;
  try {
    handle = openSync(path, FLAGS);
    return readOpen(handle, maxBytes);
  } catch (thrown) {
    const code = errorCode(thrown) ?? "unknown error";
    if (code === "ENOENT" || code === "ENOTDIR")
      return { problem: "does not exist; check the path", isAbsent: true };
    return { problem: `cannot be read (${code}); check its kind and permissions` };
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function readOpen(handle: number, maxBytes: number): TextReading {
  const stats = fstatSync(handle);
  if (!stats.isFile()) return { problem: "is not a regular file; use another path" };
  if (stats.size > maxBytes) return tooLarge(maxBytes);
  // Read to the end, not to the size: the file may be growing.
  const chunks: Buffer[] = [];
  for (let total = 0; total <= maxBytes; ) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const count = readSync(handle, chunk);
    if (count === 0) return decoded(Buffer.concat(chunks), isShared(stats.mode));
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): TextReading {
  return { problem: `is larger than ${maxBytes / 1024 / 1024} MiB; make it smaller` };
}

/** Windows has no such mode; its access control lists are not checked. */
function isShared(mode: number): boolean {
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

function decoded(bytes: Buffer, shared: boolean): TextReading {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, ...(shared && { isShared: true }) };
  } catch {
    return { problem: "is not UTF-8 text; save it as UTF-8" };
  }
}

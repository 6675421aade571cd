import type * as nodeFs from "node:fs";
import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../core-error.ts";

/** Why a file of our own state cannot be used. */
export interface PrivateProblem {
  /** A clause that follows the path of the file. */
  readonly problem: string;
  /** What the user can do about it. */
  readonly remedy?: string;
  /** The problem is with the folder, so it affects every file in it. */
  readonly isOfFolder?: boolean;
  /** The file does not exist. Never set for one that exists but cannot be used. */
  readonly isAbsent?: boolean;
}

/** Loaded on first use, as in `syncDisk`. */
const fs = (): typeof nodeFs => process.getBuiltinModule("node:fs");

/** The largest text that is read by default. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Reads a text file that only its owner can use, or returns the problem with its remedy. See `readPrivateFile`. */
export function readPrivateText(
  path: string,
  { maxBytes = MAX_TEXT_BYTES }: { readonly maxBytes?: number } = {},
): { readonly text: string } | Omit<PrivateProblem, "remedy"> {
  const reading = readPrivateFile<{ readonly text: string }>(path, (handle, { size }) => {
    const remedy = "remove it";
    if (size > maxBytes) return { problem: `is larger than ${maxBytes / 1024 / 1024} MiB`, remedy };
    try {
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      return { text: decoder.decode(fs().readFileSync(handle)) };
    } catch (thrown) {
      if (errorCode(thrown) !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw thrown;
      return { problem: "is not UTF-8 text", remedy };
    }
  });
  if ("text" in reading) return reading;
  const { problem, remedy, ...rest } = reading;
  return { problem: remedy === undefined ? problem : `${problem}; ${remedy}`, ...rest };
}

/**
 * Opens a file of our own state and passes it to `read`. Refuses anything another user may have planted: a file that
 * belongs to someone else, that others may read or change, or that is a link; and every file, even a missing one, in a
 * folder that others may change. Never blocks on a pipe, never throws.
 *
 * Checks POSIX owners and modes; on Windows, neither.
 */
export function readPrivateFile<Value extends object>(
  path: string,
  read: (handle: number, found: Stats) => Value | PrivateProblem,
): Value | PrivateProblem {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs().constants;
  let handle: number | undefined;
  try {
    const folder = folderProblem(fs().lstatSync(dirname(path)));
    if (folder) return folder;
    // Windows has none of the flags; `|` takes undefined as 0.
    handle = fs().openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    const found = fs().fstatSync(handle);
    const problem = fileProblem(found);
    return problem ?? read(handle, found);
  } catch (thrown) {
    return unreadable(path, errorCode(thrown) ?? "unknown error");
  } finally {
    if (handle !== undefined) fs().closeSync(handle);
  }
}

/** Mode bits that none of our files has. Group bits also stand for access lists, so reading counts too. */
const OTHERS = 0o077;
/** For a folder only write bits matter: its parent is private. */
const OTHERS_WRITE = 0o022;

function fileProblem(found: Stats): PrivateProblem | undefined {
  if (!found.isFile()) return { problem: "is not a regular file", remedy: "remove it" };
  const stranger = strangerOf(found);
  if (stranger !== undefined)
    return { problem: stranger, remedy: `${remedyBy("chown")} it, otherwise remove it` };
  if (!hasModes() || (found.mode & OTHERS) === 0) return undefined;
  const problem = `is open to other users (mode ${modeShown(found)})`;
  return { problem, remedy: `${remedyBy("chmod 600")} it, otherwise remove it` };
}

function folderProblem(found: Stats): PrivateProblem | undefined {
  const ofFolder = (what: string, remedy: string): PrivateProblem => ({
    problem: `is in a folder that ${what}`,
    remedy,
    isOfFolder: true,
  });
  if (found.isSymbolicLink()) return ofFolder("is a symbolic link", "remove the link");
  if (!found.isDirectory()) return ABSENT;
  const stranger = strangerOf(found);
  if (stranger !== undefined) return ofFolder(stranger, `${remedyBy("chown")} the folder`);
  if (!hasModes() || (found.mode & OTHERS_WRITE) === 0) return undefined;
  return ofFolder(`other users may change (mode ${modeShown(found)})`, `${remedyBy("chmod 700")} the folder`);
}

const ABSENT: PrivateProblem = { problem: "does not exist", isAbsent: true };

function remedyBy(command: string): string {
  return `if you trust its content, run ${command} on`;
}

/** Names the owner of a file that is not ours, by the ids this process sees (a container may map them). */
function strangerOf({ uid }: Stats): string | undefined {
  const own = process.geteuid?.();
  return own === undefined || uid === own ? undefined : `belongs to user ${uid}, not to user ${own}`;
}

function hasModes(): boolean {
  return process.platform !== "win32";
}

function modeShown({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

/** Codes for a link that was not followed. */
const LINK = new Set(["ELOOP", "EMLINK"]);

function unreadable(path: string, code: string): PrivateProblem {
  if (code === "ENOENT" || code === "ENOTDIR") return ABSENT;
  if (LINK.has(code))
    return { problem: "is a symbolic link", remedy: "replace it by the file itself, or remove it" };
  // Another user's file often cannot be opened; its owner explains more than the error code.
  return ownProblem(path) ?? { problem: `cannot be read (${code})`, remedy: "correct that, or remove it" };
}

function ownProblem(path: string): PrivateProblem | undefined {
  try {
    return fileProblem(fs().lstatSync(path));
  } catch {
    return undefined;
  }
}

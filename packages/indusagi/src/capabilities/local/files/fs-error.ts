import { describeError, errorCode, escapeForDisplay } from "../../../core/index.ts";
import { FsError, type FsErrorKind } from "../../contract/index.ts";

/** The kind and the message of each system error. The path follows the message. */
const MEANING: ReadonlyMap<string, readonly [FsErrorKind, string]> = new Map([
  ["ENOENT", ["not_found", "no such file or directory"]],
  ["EEXIST", ["exists", "already exists"]],
  ["EISDIR", ["is_directory", "is a directory"]],
  ["ENOTDIR", ["not_directory", "a part of the path is not a directory"]],
  ["ENOTEMPTY", ["not_empty", "directory is not empty"]],
  ["EACCES", ["no_permission", "permission denied"]],
  ["EPERM", ["no_permission", "operation not permitted"]],
  ["EROFS", ["read_only", "file system is read-only"]],
  ["ENOSPC", ["no_space", "no space left on the device"]],
  ["EDQUOT", ["no_space", "disk quota exceeded"]],
  ["EFBIG", ["no_space", "file would be too large for the file system"]],
  ["EMFILE", ["too_many_open", "too many open files; try again"]],
  ["ENFILE", ["too_many_open", "too many open files on this machine; try again"]],
  ["ENAMETOOLONG", ["invalid_path", "path is too long"]],
  ["ELOOP", ["invalid_path", "too many symbolic links"]],
  ["EINVAL", ["invalid_path", "not possible with this path"]],
  ["ENXIO", ["not_a_file", "not a regular file"]],
  ["EAGAIN", ["not_a_file", "not a regular file"]],
  ["EIO", ["io", "the disk failed (EIO)"]],
  ["EBUSY", ["io", "in use by another program (EBUSY)"]],
]);

const MAX_SHOWN = 300;

/**
 * Turns a system error into an `FsError` that names the path the caller used. The system's own message is never shown:
 * it contains internal paths, which a model must not see.
 */
function toFsError(thrown: unknown, path: string): FsError {
  if (thrown instanceof FsError) return thrown;
  const code = errorCode(thrown);
  const [kind, message] = MEANING.get(code ?? "") ?? [
    "io",
    code ? `failed with ${code}` : describeError(thrown),
  ];
  return new FsError(kind, path, `${message}: ${pathInMessage(path)}`, { cause: thrown });
}

/** An error of our own. The path follows the message. */
export function refusal(kind: FsErrorKind, path: string, message: string): FsError {
  return new FsError(kind, path, `${message}: ${pathInMessage(path)}`);
}

/** Runs a step; turns its errors into an `FsError` that names `path`. */
export async function withFsErrors<Value>(path: string, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (thrown) {
    throw toFsError(thrown, path);
  }
}

/** A path for a message: escaped and shortened. */
export function pathInMessage(path: string): string {
  const shown = path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}... (${path.length} characters)` : path;
  return escapeForDisplay(shown);
}

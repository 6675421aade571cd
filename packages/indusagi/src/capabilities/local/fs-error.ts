import { describeError, errorCode } from "../../core/index.ts";
import { FsError, type FsErrorKind } from "../contract/index.ts";

/** What a system error means to a tool, and the words for it. `%` stands for the path. */
const MEANING: { readonly [code: string]: readonly [FsErrorKind, string] } = {
  ENOENT: ["not_found", "no such file or directory: %"],
  EEXIST: ["exists", "already exists: %"],
  EISDIR: ["is_directory", "is a directory: %"],
  ENOTDIR: ["not_directory", "a part of the path is not a directory: %"],
  ENOTEMPTY: ["not_empty", "directory is not empty: %"],
  EACCES: ["no_permission", "permission denied: %"],
  EPERM: ["no_permission", "operation not permitted: %"],
  EROFS: ["read_only", "file system is read-only: %"],
  ENOSPC: ["no_space", "no space left on the device: %"],
  EDQUOT: ["no_space", "disk quota exceeded: %"],
  EFBIG: ["no_space", "file would be too large for the file system: %"],
  EMFILE: ["too_many_open", "too many open files; try again: %"],
  ENFILE: ["too_many_open", "too many open files on this machine; try again: %"],
  ENAMETOOLONG: ["invalid_path", "path is too long: %"],
  ELOOP: ["invalid_path", "too many symbolic links: %"],
  EINVAL: ["invalid_path", "not a valid path: %"],
  ENXIO: ["not_a_file", "not a regular file: %"],
};

/** Turns what the system said into an `FsError` that names the path the caller used, never an internal one. */
export function toFsError(thrown: unknown, path: string): FsError {
  if (thrown instanceof FsError) return thrown;
  const [kind, says] = MEANING[errorCode(thrown) ?? ""] ?? ["io", `${describeError(thrown)}: %`];
  return new FsError(kind, path, says.replace("%", () => path), { cause: thrown });
}

/** Runs a step of the file system; whatever it throws names `path`. */
export async function naming<Value>(path: string, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (thrown) {
    throw toFsError(thrown, path);
  }
}

import { basename, dirname } from "node:path";
import { type FsEntryInfo, FsError, type HeldFolder, holdFolder } from "indusagi/capabilities";
import type { FileMark } from "../file-mark.ts";
import { hashFile } from "../store/blob-folder.ts";
import type { CheckpointDisk } from "../store/checkpoint-disk.ts";

/** The files that a rewind may change. */
export interface Workspace {
  readonly disk: CheckpointDisk;
  /** The folders that they are in. */
  readonly roots: readonly string[];
}

/** Why a path is never changed by a rewind. */
export type SkipReason =
  /** Its previous content could not be read, so it is not in the store. */
  | "unknown"
  /** It is not in a folder of the workspace. */
  | "outside"
  /** It is a symbolic link, or one of its folders is. */
  | "symlink"
  /** The file has other names, which would keep the content. */
  | "hard_link"
  /** It is a folder, or something else that is not a regular file; or one of its folders is a file. */
  | "not_a_file"
  /** The system refused to read it. */
  | "unreadable";

/** What is at a path now. */
export type FoundPath =
  | { readonly mark: "absent" }
  | { readonly mark: FileMark; readonly info: FsEntryInfo }
  | { readonly blocked: SkipReason };

/** Looks at a path that was real when it was recorded. Never follows a link. */
export async function inspectPath(workspace: Workspace, path: string): Promise<FoundPath> {
  let folder: HeldFolder;
  try {
    folder = await enterFolder(workspace, dirname(path));
  } catch (thrown) {
    return withoutFolder(workspace, path, thrown);
  }
  try {
    return await inspectEntry(workspace, folder, basename(path));
  } catch {
    return { blocked: "unreadable" };
  } finally {
    await folder.close();
  }
}

/** A link where a real folder was. */
class LinkInPathError extends Error {}

/** Holds the folder of a path. Rejects if it is outside, or if a link leads to it now. */
export async function enterFolder({ roots }: Workspace, folder: string): Promise<HeldFolder> {
  const held = await holdFolder(folder, roots);
  if (held.realPath === folder) return held;
  await held.close();
  throw new LinkInPathError(`a symbolic link is in the path of ${folder}`);
}

/** The folder cannot be held. If it does not exist, the file does not either, but then the folders above decide. */
async function withoutFolder(workspace: Workspace, path: string, thrown: unknown): Promise<FoundPath> {
  if (thrown instanceof LinkInPathError) return { blocked: "symlink" };
  const kind = thrown instanceof FsError ? thrown.kind : "io";
  if (kind === "outside") return { blocked: "outside" };
  if (kind === "not_directory") return { blocked: "not_a_file" };
  const folder = dirname(path);
  if (kind !== "not_found" || folder === dirname(folder)) return { blocked: "unreadable" };
  const above = await inspectPath(workspace, folder);
  if ("blocked" in above) return above;
  return above.mark === "absent" ? { mark: "absent" } : { blocked: "not_a_file" };
}

async function inspectEntry({ disk }: Workspace, folder: HeldFolder, name: string): Promise<FoundPath> {
  const info = await folder.look(name);
  if (!info) return { mark: "absent" };
  if (info.isSymlink) return { blocked: "symlink" };
  if (!info.isFile) return { blocked: "not_a_file" };
  if ((info.links ?? 1) > 1) return { blocked: "hard_link" };
  const file = await disk.open(folder.child(name), "read");
  try {
    const { mode } = info;
    return { info, mark: { ...(await hashFile(file)), ...(mode === undefined ? {} : { mode }) } };
  } finally {
    await file.close();
  }
}

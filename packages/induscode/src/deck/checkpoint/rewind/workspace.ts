import { basename, dirname } from "node:path";
import { type FsEntryInfo, FsError, type HeldFolder, holdFolder } from "indusagi/capabilities";
import { type EntryMark, isLinkMark, type OtherMark } from "../file-mark.ts";
import { hashFile } from "../store/blob-folder.ts";
import type { CheckpointDisk } from "../store/checkpoint-disk.ts";

/** The files that a rewind may change. */
export interface Workspace {
  readonly disk: CheckpointDisk;
  /** The folders that they are in. */
  readonly roots: readonly string[];
  /** Returns the names in a folder that are not the user's. Called for each folder that is read. */
  readonly ignored?: ((folder: string, names: readonly string[]) => readonly string[]) | undefined;
}

/** Why a path is never changed by a rewind. */
export type SkipReason =
  /** Its previous content could not be read, so it is not in the store. */
  | "unknown"
  /** Git ignores it, so it is not in the store. It may have been changed. */
  | "ignored"
  /** A repository's config or hook that may have been changed. Nothing in a `.git` is in the store. */
  | "repository"
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
  | {
      readonly mark: EntryMark | OtherMark;
      readonly info: FsEntryInfo;
      /** What is in a folder. */
      readonly names?: readonly string[];
    }
  | { readonly blocked: SkipReason };

/** Inspects a path that had no links when it was recorded. Never follows a link. */
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

/** If the folder does not exist, neither does the file, but the folders above may block the path. */
async function withoutFolder(workspace: Workspace, path: string, thrown: unknown): Promise<FoundPath> {
  if (thrown instanceof LinkInPathError) return { blocked: "symlink" };
  const kind = thrown instanceof FsError ? thrown.kind : "io";
  if (kind === "outside") return { blocked: "outside" };
  if (kind === "not_directory") return { blocked: "not_a_file" };
  const folder = dirname(path);
  if (kind !== "not_found" || folder === dirname(folder)) return { blocked: "unreadable" };
  const above = await inspectPath(workspace, folder);
  if ("blocked" in above) return above;
  if (above.mark === "absent") return above;
  return { blocked: isLinkMark(above.mark) ? "symlink" : "not_a_file" };
}

async function inspectEntry({ disk }: Workspace, folder: HeldFolder, name: string): Promise<FoundPath> {
  const info = await disk.look(folder.child(name));
  if (!info) return { mark: "absent" };
  if (info.isSymlink) return { info, mark: { link: await disk.readLink(folder.child(name)) } };
  if (info.isDirectory) {
    const names = await disk.list(folder.child(name));
    return { info, mark: { folder: info.mode ?? 0o755 }, names };
  }
  if (!info.isFile) return { info, mark: { other: true } };
  const file = await disk.open(folder.child(name), "read");
  try {
    const { mode } = info;
    return { info, mark: { ...(await hashFile(file)), ...(mode === undefined ? {} : { mode }) } };
  } finally {
    await file.close();
  }
}

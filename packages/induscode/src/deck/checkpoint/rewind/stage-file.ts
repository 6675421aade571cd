import { basename, dirname } from "node:path";
import { localFs } from "indusagi/capabilities";
import { writeFully } from "../../log/internal.ts";
import { CheckpointError } from "../checkpoint-error.ts";
import type { FileMark } from "../file-mark.ts";
import { type BlobFolder, hashFile } from "../store/blob-folder.ts";
import type { CheckpointDisk, WorkFile } from "../store/checkpoint-disk.ts";
import type { RewindStep } from "./rewind-step.ts";
import { enterFolder, type Workspace } from "./workspace.ts";

/** A workspace, and the contents that its files get. */
export interface RewindSite extends Workspace {
  readonly blobs: BlobFolder;
  /** The folder of the store, for messages. */
  readonly folder: string;
}

/** Writes the new file of a step under its temporary name, beside its place, and flushes it. */
export async function stageFile(site: RewindSite, { path, to, temp }: RewindStep): Promise<void> {
  if (to === "absent" || temp === undefined) return;
  const { disk, roots } = site;
  await localFs({ read: roots, write: roots }).mkdir(dirname(path), { recursive: true });
  const folder = await enterFolder(site, dirname(path));
  try {
    const file = await disk.create(folder.child(temp));
    try {
      await fill(site, file, to);
      const isOwned = await keepOwner(disk, file, folder.child(basename(path)));
      // Without the owner, these bits would give the rights of another user.
      if (to.mode !== undefined) await file.setMode(isOwned ? to.mode : to.mode & 0o777);
      await file.sync();
    } catch (thrown) {
      await file.close().catch(() => {});
      throw thrown;
    }
    await file.close();
  } finally {
    await folder.close();
  }
}

async function fill({ blobs, folder }: RewindSite, file: WorkFile, to: FileMark): Promise<void> {
  const blob = await blobs.open(to.hash);
  try {
    const { hash } = await hashFile(blob, (piece, position) => writeFully(file, piece, position));
    if (hash !== to.hash)
      throw new CheckpointError("corrupt", folder, `has a damaged content, ${to.hash}; nothing was changed`);
  } finally {
    await blob.close();
  }
}

/** Gives the new file the owner of the one that it replaces. Returns false if that is not allowed. */
async function keepOwner(disk: CheckpointDisk, file: WorkFile, place: string): Promise<boolean> {
  const old = await disk.look(place);
  if (!old) return true;
  const own = { uid: process.geteuid?.() ?? old.uid, gid: process.getegid?.() ?? old.gid };
  if (old.uid === own.uid && old.gid === own.gid) return true;
  try {
    await file.setOwner(old);
    return true;
  } catch {
    return false;
  }
}

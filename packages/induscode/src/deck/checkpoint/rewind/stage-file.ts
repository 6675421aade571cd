import { basename } from "node:path";
import { writeFully } from "../../log/internal.ts";
import { CheckpointError } from "../checkpoint-error.ts";
import { type FileMark, isFolder, isLink } from "../file-mark.ts";
import { type BlobFolder, hashFile } from "../store/blob-folder.ts";
import type { CheckpointDisk, WorkFile } from "../store/checkpoint-disk.ts";
import { type RewindStep, roomOf } from "./rewind-step.ts";
import { enterFolder, type Workspace } from "./workspace.ts";

/** A workspace, and the contents that its files get. */
export interface RewindSite extends Workspace {
  readonly blobs: BlobFolder;
  /** The folder of the store, for messages. */
  readonly folder: string;
}

/** Writes the new file of a step under its temporary name and flushes it. */
export async function stageFile(site: RewindSite, step: RewindStep): Promise<void> {
  const { path, to, temp } = step;
  if (to === "absent" || temp === undefined || isFolder(to)) return;
  const { disk } = site;
  const room = await enterFolder(site, roomOf(step));
  try {
    if (isLink(to)) return await disk.symlink(to.link, room.child(temp));
    const file = await disk.create(room.child(temp));
    try {
      await fill(site, file, to);
      const isOwned = step.room !== undefined || (await keepOwner(disk, file, room.child(basename(path))));
      // Without the owner, these bits would give the rights of another user.
      if (to.mode !== undefined) await file.setMode(isOwned ? to.mode : to.mode & 0o777);
      await file.sync();
    } catch (thrown) {
      await file.close().catch(() => {});
      throw thrown;
    }
    await file.close();
  } finally {
    await room.close();
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

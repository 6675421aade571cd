import { basename } from "node:path";
import { writeLogBytes } from "../../ledger-log/internal.ts";
import { CheckpointError } from "../checkpoint-error.ts";
import { type FileMark, isFolderMark, isLinkMark } from "../file-mark.ts";
import { type BlobFolder, hashFile } from "../store/blob-folder.ts";
import type { CheckpointDisk, FileOwner, WorkFile } from "../store/checkpoint-disk.ts";
import { type RewindStep, roomOf } from "./rewind-step.ts";
import { enterFolder, type Workspace } from "./workspace.ts";

/** A workspace, and the contents to restore. */
export interface RewindSite extends Workspace {
  readonly blobs: BlobFolder;
  /** The folder of the store, for messages. */
  readonly folder: string;
}

/** Writes and flushes the new file of a step under its temporary name. */
export async function stageFile(site: RewindSite, step: RewindStep): Promise<void> {
  const { path, to, temp } = step;
  if (to === "absent" || temp === undefined || isFolderMark(to)) return;
  const { disk } = site;
  const room = await enterFolder(site, roomOf(step));
  try {
    if (isLinkMark(to)) return await disk.symlink(to.link, room.child(temp));
    const file = await disk.create(room.child(temp));
    try {
      await fill(site, file, to);
      const replaced = step.room === undefined ? await disk.look(room.child(basename(path))) : undefined;
      const [uid, gid] = to.owner ?? [replaced?.uid, replaced?.gid];
      const owner = uid === undefined || gid === undefined ? undefined : { uid, gid };
      const isOwned = owner && (await giveOwner(disk, file, { place: room.child(temp), owner }));
      // With the wrong owner, setuid and setgid would grant another user's rights.
      if (to.mode !== undefined) await file.setMode(isOwned ? to.mode : to.mode & 0o1777);
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
    const { hash } = await hashFile(blob, (piece, position) => writeLogBytes(file, piece, position));
    if (hash !== to.hash)
      throw new CheckpointError("corrupt", folder, `has a damaged content, ${to.hash}; nothing was changed`);
  } finally {
    await blob.close();
  }
}

/** Restores the owner of the file. Returns false if that is not permitted. */
async function giveOwner(
  disk: CheckpointDisk,
  file: WorkFile,
  { place, owner }: { readonly place: string; readonly owner: FileOwner },
): Promise<boolean> {
  const now = await disk.look(place);
  if (now?.uid === owner.uid && now.gid === owner.gid) return true;
  try {
    await file.setOwner(owner);
    return true;
  } catch {
    return false;
  }
}

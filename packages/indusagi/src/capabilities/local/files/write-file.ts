import { constants } from "node:fs";
import { replaceFile } from "../../../core/files/index.ts";
import type { FsWriteOptions } from "../../contract/index.ts";
import type { Disk } from "./disk.ts";
import { entryInfo, isSameVersion } from "./entry-info.ts";
import { refusal } from "./fs-error.ts";
import { lstatOrNothing, type WriteTarget } from "./write-target.ts";

export interface FileWrite extends WriteTarget {
  readonly content: Uint8Array;
  readonly options: FsWriteOptions;
  /** The path as the caller knows it. */
  readonly path: string;
}

/** Writes a file in one step, if it may be written to and is still what the caller expects. */
export async function writeFile(disk: Disk, write: FileWrite): Promise<void> {
  const { dir, name, existing, content, options, path } = write;
  if (existing && options.onlyNew) throw refusal("exists", path, "already exists");
  // A rename needs only the folder's permission, but a file that may not be written to must not be replaced either.
  if (existing) await disk.access(dir.child(name), constants.W_OK);
  const { mode, onlyNew } = options;
  const check = (): Promise<void> => assertAsExpected(disk, write);
  await replaceFile(disk, { folder: dir, name, content, existing, mode, onlyNew, check });
}

async function assertAsExpected(disk: Disk, { dir, name, options, path }: FileWrite): Promise<void> {
  if (!options.onlyIf) return;
  const now = await lstatOrNothing(disk, dir.child(name));
  if (now && isSameVersion(options.onlyIf, entryInfo(now))) return;
  throw refusal("changed", path, "changed by another program meanwhile");
}

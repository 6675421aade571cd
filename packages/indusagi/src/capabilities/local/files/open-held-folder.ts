import { resolve } from "node:path";
import { isInside } from "../../../core/index.ts";
import type { FsEntryInfo } from "../../contract/index.ts";
import { entryInfo } from "./entry-info.ts";
import { refusal, withFsErrors } from "./fs-error.ts";
import { anchorDir } from "./held-path.ts";
import { nodeDisk } from "./node-disk.ts";
import { lstatOrNothing } from "./open-file.ts";

/** A folder that is held by a descriptor. Its names are used even if the folder is renamed or replaced by a link. */
export interface HeldFolder {
  /** The path without links. */
  readonly realPath: string;
  /** A path to a name in this folder. */
  child(name: string): string;
  /** The entry with this name, links not followed. Undefined if there is none. */
  look(name: string): Promise<FsEntryInfo | undefined>;
  close(): Promise<void>;
}

export function openHeldFolder(path: string, roots: readonly string[]): Promise<HeldFolder> {
  return withFsErrors(path, async () => {
    const realRoots = await Promise.all(roots.map((root) => nodeDisk.realpath(resolve(root))));
    const dir = await anchorDir(nodeDisk, path);
    if (!isInside(dir.realPath, realRoots)) {
      await dir.close();
      throw refusal("outside", path, "outside the folders that may be used");
    }
    return {
      realPath: dir.realPath,
      child: (name) => dir.child(name),
      look: (name) =>
        withFsErrors(path, async () => {
          const stats = await lstatOrNothing(nodeDisk, dir.child(name));
          return stats && entryInfo(stats);
        }),
      close: () => dir.close(),
    };
  });
}

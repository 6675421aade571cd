import { basename, dirname } from "node:path";
import { errorCode } from "../../../core/index.ts";
import { type AnchoredDir, anchorDir } from "./anchored-dir.ts";
import type { Disk } from "./disk.ts";

/**
 * Creates a directory and its missing parents, each inside its held parent, so that a link put there meanwhile is never
 * followed. `judge` is called for each folder and may refuse it.
 */
export async function makeDirs(
  disk: Disk,
  path: string,
  judge: (dir: AnchoredDir) => Promise<void>,
): Promise<void> {
  const missing: string[] = [];
  let dir = await deepestExisting(disk, path, missing);
  try {
    await judge(dir);
    for (const name of missing) {
      const next = await enterMade(disk, dir, name);
      await dir.close();
      dir = next;
      await judge(dir);
    }
  } finally {
    await dir.close();
  }
}

async function deepestExisting(disk: Disk, path: string, missing: string[]): Promise<AnchoredDir> {
  let here = path;
  for (;;) {
    try {
      return await anchorDir(disk, here);
    } catch (thrown) {
      if (errorCode(thrown) !== "ENOENT" || here === dirname(here)) throw thrown;
      missing.unshift(basename(here));
      here = dirname(here);
    }
  }
}

async function enterMade(disk: Disk, dir: AnchoredDir, name: string): Promise<AnchoredDir> {
  try {
    await disk.mkdir(dir.child(name));
  } catch (thrown) {
    if (errorCode(thrown) !== "EEXIST") throw thrown; // Created by another program meanwhile.
  }
  return anchorDir(disk, dir.child(name), { noFollow: true });
}

import { join } from "node:path";
import type { Disk } from "../../../core/files/index.ts";
import { type HeldPath, holdPath } from "./held-path.ts";

/** A held directory: `child` refers to names in it even if the directory is renamed or replaced. */
export interface AnchoredDir extends HeldPath {
  /** A path to a name in this directory. */
  child(name: string): string;
}

/** Holds a directory; refuses anything else. */
export async function anchorDir(
  disk: Disk,
  path: string,
  options: { readonly noFollow?: boolean } = {},
): Promise<AnchoredDir> {
  const held = await holdPath(disk, path, { ...options, directory: true });
  return { ...held, child: (name) => join(held.self, name) };
}

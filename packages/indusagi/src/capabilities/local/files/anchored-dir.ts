import { join } from "node:path";
import type { Disk } from "./disk.ts";
import { type HeldPath, holdPath } from "./held-path.ts";

/** A directory to work in: whatever happens to its name meanwhile, `child` leads into this very directory. */
export interface AnchoredDir extends HeldPath {
  /** A path to a name in this very directory. */
  child(name: string): string;
}

/** Holds a directory; anything else is refused. */
export async function anchorDir(
  disk: Disk,
  path: string,
  options: { readonly noFollow?: boolean } = {},
): Promise<AnchoredDir> {
  const held = await holdPath(disk, path, { ...options, directory: true });
  return { ...held, child: (name) => join(held.self, name) };
}

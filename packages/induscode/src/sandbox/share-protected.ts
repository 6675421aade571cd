import { lstatSync } from "node:fs";
import { findProtected } from "./find-protected.ts";

/** The protected paths of a command, until it has ended. */
export interface SharedPaths {
  /** Those that exist and are no links. */
  paths(): Promise<readonly string[]>;
  release(): void;
}

interface SharedList {
  readonly found: Promise<readonly string[]>;
  users: number;
}

/** By workspace, as long as commands run there. */
const lists = new Map<string, SharedList>();

/**
 * The protected paths of a workspace, the same ones for all commands that run at the same time: none of them can move what is
 * a mount for all. Otherwise a running command could put a link in the place of a path between the search and the mounts of
 * the next command, which would then see what the link leads to.
 */
export function shareProtected(workspace: string): SharedPaths {
  const list = lists.get(workspace) ?? { found: findProtected(workspace), users: 0 };
  list.users += 1;
  lists.set(workspace, list);
  return {
    paths: async () => (await list.found).filter(isNoLink),
    release: () => {
      list.users -= 1;
      if (list.users === 0) lists.delete(workspace);
    },
  };
}

/** Throws if that cannot be found out: a command may have taken away the right to look. */
function isNoLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
}

import { isAbsolute, relative, sep } from "node:path";

/** The allowed folders, or `any` for no confinement. */
export type Roots = readonly string[] | "any";

/** Whether a real path is one of the roots or below one. Compares path parts: `/project-evil` is not inside `/project`. */
export function isInside(path: string, roots: Roots): boolean {
  return roots === "any" || roots.some((root) => isBelow(path, root));
}

function isBelow(path: string, root: string): boolean {
  const fromRoot = relative(root, path);
  return fromRoot === "" || (fromRoot !== ".." && !fromRoot.startsWith(`..${sep}`) && !isAbsolute(fromRoot));
}

import { isAbsolute, relative, sep } from "node:path";

/** Folders something is confined to, or `any` for no confinement. */
export type Roots = readonly string[] | "any";

/** Whether a real path is one of the roots or below one. Decided on path parts: `/work-evil` is not inside `/work`. */
export function isInside(path: string, roots: Roots): boolean {
  return roots === "any" || roots.some((root) => isBelow(path, root));
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

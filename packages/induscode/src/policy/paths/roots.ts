import { isAbsolute, relative, sep } from "node:path";

/** Whether a real path is one of the roots or below one. Compares path parts: `/work-evil` is not inside `/work`. */
export function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const fromRoot = relative(root, path);
    return fromRoot !== ".." && !fromRoot.startsWith(`..${sep}`) && !isAbsolute(fromRoot);
  });
}

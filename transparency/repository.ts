import { fileURLToPath } from "node:url";

/** A file of this repository. This file is beside run.ts, because a bundle takes all paths as relative to its entry. */
export function inRepository(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

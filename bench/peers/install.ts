import { copyFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Installed, installPackages } from "../../transparency/doors/install-packages.ts";
import { COMPARED_PACKAGES } from "./packages.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Our programs that use peers run inside the folder of the peers, so that they find exactly the pinned versions. */
const PROGRAMS = [
  "peers/naive-v1.mjs",
  "peers/naive-v2.mjs",
  "peers/client-v1.mjs",
  "peers/client-v2.mjs",
  "peers/client-ai.mjs",
];

export interface Compared extends Installed {
  /** A program of ours in the folder of the peers. */
  readonly copyOf: (name: string) => string;
  /** For files that a run leaves for the next one. */
  readonly folder: string;
}

export function installCompared(): Compared {
  const folder = join(tmpdir(), "indus-bench-compared");
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const installed = installPackages({ folder, dependencies: COMPARED_PACKAGES, print });
  const nameIn = (path: string): string => join(folder, path.replace("peers/", ""));
  for (const path of PROGRAMS) copyFileSync(here(path), nameIn(path));
  return { ...installed, folder, copyOf: (name) => nameIn(`${name}.mjs`) };
}

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stamp = join(root, "packages/induscode/dist/built-from.txt");
/** What a build depends on: sources, manifests, installed libraries and the build itself. */
const INPUTS = [
  "packages/indusagi/src",
  "packages/indusagi/package.json",
  "packages/induscode/src",
  "packages/induscode/page",
  "packages/induscode/package.json",
  "package-lock.json",
  "tsconfig.base.json",
  "scripts/bundle.mjs",
  "scripts/bundle",
];

/** Whether the last build was made from the files as they are now. */
export function isBuilt() {
  try {
    return readFileSync(stamp, "utf8") === inputDigest();
  } catch {
    return false;
  }
}

/** Remembers what was built. Called at the end of a build, with the digest from its start. */
export function noteBuilt(digest) {
  writeFileSync(stamp, digest);
}

/** A digest of the paths, sizes and times of all inputs. */
export function inputDigest(folder = root) {
  const hash = createHash("sha256");
  for (const input of INPUTS) {
    const path = join(folder, input);
    const files = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).sort() : [""];
    for (const file of files) {
      const { size, mtimeMs } = statSync(join(path, file));
      hash.update(`${input}/${file} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest("hex");
}

import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeBinary } from "../test/nodes/node-binary.ts";

/** Relative to the script that runs, which is in this folder. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Shared with `npm run test:nodes`. */
const SCRATCH = here("../node_modules/.cache/indus/nodes");

/** This major version of Node, from npm unless it runs this script. */
export function nodeOfMajor(major: string): string {
  return nodeBinary(major, SCRATCH);
}

/** Runs a script of this repository on another version of Node and returns its exit code. */
export function runOnNode(major: string, script: string, args: readonly string[]): number {
  const node = nodeOfMajor(major);
  const { status } = spawnSync(node, [here("../scripts/run-ts.mjs"), script, ...args], {
    stdio: "inherit",
    // A program that starts plain `node` gets the same version.
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}` },
  });
  return status ?? 1;
}

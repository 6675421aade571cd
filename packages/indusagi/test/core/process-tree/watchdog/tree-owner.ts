import { writeFileSync } from "node:fs";
import { startTree } from "../../../../src/core/process-tree/index.ts";
import { hasBeenSeen } from "../tree-shapes.ts";

/**
 * A process that owns trees and can be killed. Arguments: what to do when all of them have printed `ready` (`stay`,
 * `exit`, or the path of a file to create when all have been scanned), then one command line each.
 */
const startedMs = performance.now();
const [afterwards = "stay", ...commands] = process.argv.slice(2);

await Promise.all(
  commands.map(
    (command) =>
      new Promise<void>((resolve) => {
        const onStdout = (chunk: Buffer): void => {
          if (chunk.includes("ready")) resolve();
        };
        void startTree("/bin/bash", ["-c", command], { env: { PATH: process.env["PATH"] }, onStdout });
      }),
  ),
);
process.stdout.write("ready\n");
if (afterwards === "exit") process.exit(5);
if (afterwards !== "stay") {
  await hasBeenSeen(startedMs);
  writeFileSync(afterwards, "");
}

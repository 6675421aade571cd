import { writeFileSync } from "node:fs";
import { leaveWill, startTree } from "../../../../src/core/process-tree/index.ts";
import { hasBeenSeen } from "../tree-shapes.ts";

/**
 * A process that owns trees and can be killed. Arguments: what to do when all of them have printed `ready` (`stay`,
 * `exit`, or the path of a file to create when all have been scanned), then one command line each. A command line that
 * begins with `will ` is JavaScript to run after the end, and one with `withdrawn ` is taken back.
 */
const startedMs = performance.now();
const [afterwards = "stay", ...commands] = process.argv.slice(2);

await Promise.all(
  commands
    .filter((command) => !/^(will|withdrawn) /.test(command))
    .map(
      (command) =>
        new Promise<void>((resolve) => {
          const onStdout = (chunk: Buffer): void => {
            if (chunk.includes("ready")) resolve();
          };
          void startTree("/bin/bash", ["-c", command], { env: { PATH: process.env["PATH"] }, onStdout });
        }),
    ),
);
for (const command of commands) {
  if (command.startsWith("will ")) await leaveWill(command.slice("will ".length));
  if (command.startsWith("withdrawn ")) (await leaveWill(command.slice("withdrawn ".length)))();
}
process.stdout.write("ready\n");
if (afterwards === "exit") process.exit(5);
if (afterwards !== "stay") {
  await hasBeenSeen(startedMs);
  writeFileSync(afterwards, "");
}

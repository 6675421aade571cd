import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { holdNames } from "../../../src/policy/sandbox/hold-names.ts";
import { openSandbox } from "../../../src/policy/sandbox/index.ts";

/**
 * A process that opens a sandbox, holds names again and again, and can be killed. Arguments: the folder, how many rounds, and the names. It
 * prints one line a round: the names that were missing although it held them.
 */
const [folder = "", rounds = "", ...names] = process.argv.slice(2);
const sandbox = await openSandbox({ cwd: folder, env: { PATH: process.env["PATH"], HOME: "/nonexistent" } });
for (let round = 0; round < Number(rounds); round += 1) {
  const held = await holdNames(folder, names);
  const missing = new Set<string>();
  for (let look = 0; look < 3; look += 1) {
    for (const name of names) if (!existsSync(join(folder, name))) missing.add(name);
    await delay(Math.random() * 2);
  }
  held.release();
  process.stdout.write(`${[...missing].join(" ")}\n`);
}
if ("close" in sandbox) sandbox.close();

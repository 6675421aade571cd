// Runs every example. Each checks its own output and throws if it is wrong.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
let failed = 0;
for (const file of readdirSync(new URL("../examples/", import.meta.url)).filter((name) =>
  name.endsWith(".ts"),
)) {
  const run = spawnSync(process.execPath, ["scripts/run-ts.mjs", `examples/${file}`], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
  });
  process.stdout.write(`${run.status === 0 ? "ok    " : "FAILED"} examples/${file}\n`);
  if (run.status !== 0) {
    failed++;
    process.stderr.write(`${run.stdout}${run.stderr}\n`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;

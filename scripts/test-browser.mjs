// All tests of the console's page, in a real Chromium: `npm run test:browser -- NAME` runs the files whose path contains NAME.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [
    vitest,
    "run",
    "--maxWorkers",
    "1",
    ...(process.argv.length > 2 ? process.argv.slice(2) : ["packages/induscode/test/page/"]),
  ],
  { stdio: "inherit", env: { ...process.env, INDUS_BROWSER: "all" } },
);
process.exitCode = status ?? 1;

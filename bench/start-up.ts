import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { ratioOf } from "./measure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Without `NODE_EXTRA_CA_CERTS`: it makes every start of Node slower and so improves the ratio. */
const { NODE_EXTRA_CA_CERTS: _ignored, ...env } = process.env;

function node(script: string): void {
  spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root, env, stdio: "ignore" });
}

const bare = { name: "bare node", run: () => node("0") };

const importing: BenchCase = {
  id: "import-capabilities",
  summary: "node importing indusagi/capabilities (built) / bare node",
  measure: () =>
    ratioOf({ name: "import", run: () => node('import "indusagi/capabilities"') }, bare, { rounds: 15 }),
};

export const startUpCases: readonly BenchCase[] = [importing];

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { ratioOf } from "./measure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Without the variable that makes node read a file of certificates at every start: it would flatter every ratio. */
const { NODE_EXTRA_CA_CERTS: _flattering, ...env } = process.env;

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

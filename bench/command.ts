import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { ratioOf } from "./measure.ts";

const bin = fileURLToPath(new URL("../packages/induscode/bin/indus.js", import.meta.url));
const script = fileURLToPath(new URL("../test/servers/server.mjs", import.meta.url));

/** Calls a tool of one server of a configuration file, as a user does. */
function call(file: string, env: NodeJS.ProcessEnv): void {
  const args = [bin, "mcp", "call", "s7__echo", "text=hello", "--mcp", file];
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`mcp call failed: ${stderr}`);
}

const oneOfMany: BenchCase = {
  id: "mcp-call-of-40",
  summary: "indus mcp call of one server among 40 / the same with that server alone",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
    const written = (name: string, ids: readonly string[]): string => {
      const rows = ids.map((id) => [id, { command: process.execPath, args: [script, "--era", "legacy"] }]);
      writeFileSync(join(folder, name), JSON.stringify({ mcpServers: Object.fromEntries(rows) }));
      return join(folder, name);
    };
    const alone = written("alone.json", ["s7"]);
    const many = written(
      "many.json",
      Array.from({ length: 40 }, (_, index) => `s${index}`),
    );
    const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
    try {
      return await ratioOf(
        { name: "one of 40", run: () => call(many, env) },
        { name: "alone", run: () => call(alone, env) },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

export const commandCases: readonly BenchCase[] = [oneOfMany];

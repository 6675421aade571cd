import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { atSize, tempDir, verifies } from "@indus/testkit";
import { build } from "esbuild";
import { expect } from "vitest";
import { becomesTrue } from "../../../../indusagi/test/core/process-tree/tree-shapes.ts";

const LIMIT_MS = 60_000;
const NAMES = [".git", ".cursor", ".mcp.json", "opencode.json"];

verifies(
  "sandbox:litter",
  "no process loses a name that it holds to others that end or are killed, and the last one leaves nothing, nor does one leave temporary files",
  async () => {
    await using dir = await tempDir();
    const program = dir.at("holder.mjs");
    await build({
      entryPoints: [fileURLToPath(new URL("name-holder.ts", import.meta.url))],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      conditions: ["@indus/source"],
      logLevel: "error",
    });
    const folder = dir.at("project");
    mkdirSync(folder);
    mkdirSync(dir.at("temporary"));
    const env = { ...process.env, TMPDIR: dir.at("temporary") };
    const start = (rounds: number): { readonly child: ChildProcess; readonly ended: Promise<string> } => {
      const args = [program, folder, String(rounds), ...NAMES];
      const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
      let out = "";
      child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
      const ended = new Promise<string>((resolve) => child.once("close", () => resolve(out)));
      return { child, ended };
    };
    const rounds = atSize({ quick: 25, full: 1_000 });
    const steady = [start(rounds), start(rounds)];
    const killed = Array.from({ length: atSize({ quick: 2, full: 40 }) }, async () => {
      const { child, ended } = start(1_000_000);
      await new Promise((resolve) => child.stdout?.once("data", resolve));
      child.kill("SIGKILL");
      return ended;
    });
    const outputs = await Promise.all([...steady.map(({ ended }) => ended), ...killed]);
    expect(outputs.join("").replaceAll("\n", "")).toBe("");
    expect(outputs[0]?.length).toBe(rounds);
    // The watchdogs of the killed ones end last.
    const isEmpty = (path: string): boolean => readdirSync(path).length === 0;
    expect(await becomesTrue(() => isEmpty(folder) && isEmpty(dir.at("temporary")), LIMIT_MS)).toBe(true);
  },
  { only: ["linux"], timeoutMs: 10 * LIMIT_MS },
);

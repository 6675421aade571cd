import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { grepTool, makeLocalContext, ToolRegistry, toolBox } from "indusagi/capabilities";
import type { ToolBox } from "indusagi/runtime";
import type { BenchCase } from "./case.ts";
import { type Figure, ratioOf } from "./measure.ts";

const run = promisify(execFile);
const FILES = 30_000;
const PATTERN = "needle[0-9]+";

/** 30,000 small source files in 300 folders; one file in a hundred matches. Created once and removed at exit. */
let tree: string | undefined;
function sampleTree(): string {
  if (tree) return tree;
  tree = mkdtempSync(join(tmpdir(), "indus-bench-tree-"));
  const filler = "const value = compute(input, options); // nothing to see here\n".repeat(60);
  for (let index = 0; index < FILES; index++) {
    const folder = join(tree, `folder-${index % 300}`);
    if (index < 300) mkdirSync(folder);
    writeFileSync(
      join(folder, `file-${index}.ts`),
      index % 100 === 0 ? `${filler}needle${index}\n${filler}` : filler,
    );
  }
  return tree;
}

process.once("exit", () => tree && rmSync(tree, { recursive: true, force: true }));

async function ripgrepPath(): Promise<string> {
  const require = createRequire(import.meta.url);
  return (require("@vscode/ripgrep") as { readonly rgPath: string }).rgPath;
}

/** Runs a tool and fails on a failed call: a quick refusal must not count as a fast tool. */
async function call(box: ToolBox, name: string, input: object): Promise<void> {
  const { isError, output } = await box.runner.run({ id: "1", name, input });
  if (isError) throw new Error(`${name} failed: ${String(output)}`);
}

async function searchRatio(options: { readonly ripgrepPath?: false }): Promise<Figure> {
  const folder = sampleTree();
  const rg = await ripgrepPath();
  await using session = makeLocalContext(folder);
  const box = new ToolRegistry().register(grepTool(options)).toToolBox(() => session);
  return ratioOf(
    { name: "grep", run: () => call(box, "grep", { pattern: PATTERN, cap: 5000 }) },
    {
      name: "rg",
      run: () => run(rg, ["--no-config", "--hidden", "-n", "-e", PATTERN, folder], { maxBuffer: 1 << 26 }),
    },
    { rounds: 7 },
  );
}

const grepping: BenchCase = {
  id: "grep-ripgrep",
  summary: "grep over 30,000 files with ripgrep / ripgrep itself",
  measure: () => searchRatio({}),
};
const falling: BenchCase = {
  id: "grep-fallback",
  summary: "grep over 30,000 files without ripgrep / ripgrep itself",
  measure: () => searchRatio({ ripgrepPath: false }),
};

const finding: BenchCase = {
  id: "find",
  summary: "find over 30,000 files / rg --files",
  measure: async () => {
    const folder = sampleTree();
    const rg = await ripgrepPath();
    await using box = toolBox("read-only", folder);
    return ratioOf(
      { name: "find", run: () => call(box, "find", { query: "*99.ts" }) },
      {
        name: "rg --files",
        run: () => run(rg, ["--no-config", "--hidden", "--files", folder], { maxBuffer: 1 << 26 }),
      },
      { rounds: 7 },
    );
  },
};

const COMMAND = "echo hi";

/** Resolves at the first progress note of the bash tool. The call itself goes to `running`. */
function firstNote(box: ToolBox, running: Promise<unknown>[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const caller = { key: "bench", can: {}, progress: () => resolve() };
    const call = { id: "1", name: "bash", input: { command: COMMAND } };
    running.push(
      box.runner.run(call, undefined, caller).then(({ isError, output }) => {
        // After the first note this has no effect.
        reject(new Error(`bash sent no progress note: ${String(output)}`));
        if (isError) throw new Error(`bash failed: ${String(output)}`);
      }),
    );
  });
}

/** Resolves at the first byte of a child process that runs the same command. */
async function firstByte(running: Promise<unknown>[]): Promise<void> {
  const child = spawn("/bin/bash", ["-c", COMMAND], { stdio: ["ignore", "pipe", "pipe"] });
  running.push(once(child, "exit"));
  await once(child.stdout, "data");
}

const bashStart: BenchCase = {
  id: "bash-first-byte",
  summary: "bash tool called through a box, to its first progress note / bare spawn, to its first byte",
  measure: async () => {
    const running: Promise<unknown>[] = [];
    const prepare = (): Promise<unknown> => Promise.all(running.splice(0));
    await using box = toolBox("coding", tmpdir());
    const figure = await ratioOf(
      { name: "bash tool", run: () => firstNote(box, running), prepare },
      { name: "spawn", run: () => firstByte(running), prepare },
      { rounds: 51 },
    );
    await prepare();
    return figure;
  },
};

export const toolCases: readonly BenchCase[] = [grepping, finding, falling, bashStart];

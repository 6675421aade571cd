import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findTool, forCall, grepTool, localShell, makeLocalContext } from "indusagi/capabilities";
import type { BenchCase } from "./case.ts";
import { type Figure, ratioOf } from "./measure.ts";

const run = promisify(execFile);
const FILES = 30_000;
const PATTERN = "needle[0-9]+";

/** 30,000 small source files in 300 folders; one in a hundred has a match. Made once, and removed by the last bench. */
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

async function searchRatio(options: { readonly ripgrepPath?: false }): Promise<Figure> {
  const folder = sampleTree();
  const rg = await ripgrepPath();
  await using session = makeLocalContext(folder);
  const tool = grepTool(options);
  const ctx = forCall(session, { id: "1", name: "grep", input: {} });
  return ratioOf(
    { name: "grep", run: () => tool.execute({ pattern: PATTERN, cap: 5000 }, ctx) },
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
    await using session = makeLocalContext(folder);
    const ctx = forCall(session, { id: "1", name: "find", input: {} });
    return ratioOf(
      { name: "find", run: () => findTool().execute({ query: "*99.ts" }, ctx) },
      {
        name: "rg --files",
        run: () => run(rg, ["--no-config", "--hidden", "--files", folder], { maxBuffer: 1 << 26 }),
      },
      { rounds: 7 },
    );
  },
};

const shellStart: BenchCase = {
  id: "bash-first-byte",
  summary: "start to first byte of the shell / of a bare spawn",
  measure: async () => {
    const running: Promise<unknown>[] = [];
    const prepare = (): Promise<unknown> => Promise.all(running.splice(0));
    const bare = async (): Promise<void> => {
      const child = spawn("/bin/bash", ["-c", "echo hi"], { stdio: ["ignore", "pipe", "pipe"] });
      running.push(once(child, "exit"));
      await once(child.stdout, "data");
    };
    const shell = async (): Promise<void> => {
      await new Promise<void>((resolve) => {
        running.push(localShell().exec("echo hi", { onOutput: () => resolve() }));
      });
    };
    const ratio = await ratioOf(
      { name: "shell", run: shell, prepare },
      { name: "spawn", run: bare, prepare },
      { rounds: 51 },
    );
    await prepare();
    return ratio;
  },
};

export const toolCases: readonly BenchCase[] = [grepping, finding, falling, shellStart];

import { hash } from "node:crypto";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, makeLocalContext, ToolRegistry, toolBox } from "indusagi/capabilities";
import { contentHash } from "indusagi/core";
import { textResult } from "indusagi/runtime";
import type { BenchCase } from "./case.ts";
import { figureOf, ratioOf } from "./measure.ts";

const CALLS = 20_000;

/** Has no base: the figure and the budget are microseconds per call. */
const noopCall: BenchCase = {
  id: "kernel-noop-call",
  summary: "a no-op tool call through a box, in microseconds per call",
  measure: async () => {
    const noop = defineTool({
      name: "noop",
      description: "Does nothing.",
      parameters: { type: "object" },
      run: () => textResult(""),
    });
    const session = makeLocalContext(".");
    const { runner } = new ToolRegistry().register(noop).toToolBox(() => session);
    const samples: number[] = [];
    for (let round = 0; round < 12; round++) {
      const start = performance.now();
      for (let i = 0; i < CALLS; i++) await runner.run({ id: "1", name: "noop", input: {} });
      samples.push(((performance.now() - start) * 1000) / CALLS);
    }
    return figureOf(samples.slice(2));
  },
};

const SCHEMA = {
  type: "object",
  properties: {
    owner: { type: "string", description: "Repository owner" },
    repo: { type: "string", description: "Repository name" },
    title: { type: "string", description: "Issue title" },
    labels: { type: "array", items: { type: "string" } },
    state: { type: "string", enum: ["open", "closed"] },
  },
  required: ["owner", "repo", "title"],
};

const hashing: BenchCase = {
  id: "content-hash",
  summary: "contentHash of a tool schema / JSON.stringify and sha256 of it",
  measure: () =>
    ratioOf(
      { name: "contentHash", run: () => repeat(() => contentHash(SCHEMA)) },
      { name: "stringify + sha256", run: () => repeat(() => hash("sha256", JSON.stringify(SCHEMA))) },
    ),
};

function repeat(step: () => unknown): void {
  for (let i = 0; i < CALLS; i++) step();
}

const readHead: BenchCase = {
  id: "read-head-of-large-file",
  summary: "read of the first 2,000 lines of a 5 GB file / of a 1 MB file",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
    const lines = "x".repeat(20).concat("\n").repeat(50_000);
    for (const [name, size] of [
      ["small.txt", 1_050_000],
      ["large.txt", 5_000_000_000],
    ] as const) {
      writeFileSync(join(folder, name), lines);
      const file = openSync(join(folder, name), "r+");
      ftruncateSync(file, size);
      closeSync(file);
    }
    await using box = toolBox("read-only", folder);
    const read = (path: string) => box.runner.run({ id: "1", name: "read", input: { path } });
    const times = async (path: string): Promise<void> => {
      for (let i = 0; i < 20; i++) await read(path);
    };
    try {
      return await ratioOf(
        { name: "5 GB", run: () => times("large.txt") },
        { name: "1 MB", run: () => times("small.txt") },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

export const kernelCases: readonly BenchCase[] = [noopCall, hashing, readHead];

import { mkdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { atSize, machinePace, tempDir, verifies } from "@indus/testkit";
import { findTool } from "indusagi/capabilities";
import { expect } from "vitest";
import { contextIn, memoryFs, runTool, writeTree } from "./fixture.ts";

const FILES = atSize({ quick: 900, full: 1_000_000 });

verifies(
  "find:huge-tree",
  "every name is counted while timers keep running",
  async () => {
    await using dir = await tempDir();
    for (let at = 0; at < FILES; at++) {
      if (at % 1000 === 0) mkdirSync(dir.at(`d${at / 1000}`));
      writeFileSync(dir.at(`d${Math.floor(at / 1000)}`, `f${at}`), "");
    }
    const pace = await machinePace();
    let longestMs = 0;
    let last = performance.now();
    const ticking = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }, 5);
    const { text } = await runTool(findTool(), { query: "f" }, contextIn(dir.path));
    clearInterval(ticking);
    expect(text).toContain(`[${(FILES - 500).toLocaleString("en-US")} more not shown`);
    await pace.check([longestMs], { hangMs: 5000, medianMs: 1000 });
  },
  { timeoutMs: atSize({ quick: 20_000, full: 600_000 }) },
);

verifies("find:huge-tree", "a walk past its deadline is an error", async () => {
  const fs = memoryFs({ "/m/a": "" });
  const slow = { ...fs, readDir: () => new Promise<never>(() => {}) };
  const { text, isError } = await runTool(
    findTool({ deadlineMs: 200 }),
    { query: "a" },
    contextIn("/m", { fs: slow }),
  );
  expect({ text, isError }).toEqual({
    text: "find: no result within 200 ms; search a smaller folder or use a simpler pattern",
    isError: true,
  });
});

verifies(
  "grep:strange-names",
  "find escapes control characters in names",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "x\n[fake]": "", "x\u202etxt": "", "x\x1b[2J": "", xé: "" });
    await writeFile(Buffer.from([...Buffer.from(`${dir.path}/x`), 0xff]), "");
    const { text } = await runTool(findTool(), { query: "x" }, contextIn(dir.path));
    expect(text.split("\n")).toEqual(["x\\x0a[fake]", "x\\x1b[2J", "xé", "x\\u{202e}txt", "x\\xff"]);
  },
  { only: ["linux"] },
);

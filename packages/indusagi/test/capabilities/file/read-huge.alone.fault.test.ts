import { type FileHandle, open, truncate } from "node:fs/promises";
import { atSize, machinePace, recordFigure, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { session } from "../session.ts";

const MB = 1024 * 1024;
const HEAD = Array.from({ length: 3000 }, (_, at) => `line ${at + 1}\n`).join("");

/** A sparse file that starts with some text. */
async function sparse(path: string, head: string, size: number): Promise<void> {
  const file: FileHandle = await open(path, "w");
  await file.writeFile(head);
  await file.close();
  await truncate(path, size);
}

interface Cost {
  readonly ms: number;
  /** How far the memory of the process grew. */
  readonly mb: number;
  /** How far the buffers grew, garbage included. Unlike `mb` it does not depend on the rest of the process. */
  readonly bufferMb: number;
}

async function cost(act: () => Promise<unknown>): Promise<Cost> {
  const before = process.memoryUsage();
  const most = { rss: 0, arrayBuffers: 0 };
  const look = (): void => {
    const now = process.memoryUsage();
    most.rss = Math.max(most.rss, now.rss - before.rss);
    most.arrayBuffers = Math.max(most.arrayBuffers, now.arrayBuffers - before.arrayBuffers);
  };
  const sampler = setInterval(look, 5);
  const started = performance.now();
  await act();
  const ms = performance.now() - started;
  clearInterval(sampler);
  look();
  return { ms, mb: most.rss / MB, bufferMb: most.arrayBuffers / MB };
}

const rounded = ({ ms, mb }: Cost): string => `${ms.toFixed(0)} ms, ${mb.toFixed(0)} MB`;

verifies("read:streaming", "the first lines of a huge file cost little time and memory", async () => {
  await using at = await session();
  const size = atSize({ quick: 300 * MB, full: 5 * 1024 * MB });
  await sparse(at.dir.at("huge"), HEAD, size);
  await sparse(at.dir.at("small"), HEAD, Buffer.byteLength(HEAD));
  await at.text("read", { path: "small" });
  const small = await cost(() => at.text("read", { path: "small" }));
  const pace = await machinePace();
  const huge = await cost(async () => {
    const answer = await at.text("read", { path: "huge" });
    expect(answer.split("\n")[0]).toBe(
      "huge: lines 1-2000 of at least 3001 (at least 1001 more; continue with offset=2001)",
    );
  });
  const few = await cost(() => at.text("read", { path: "huge", limit: 10 }));
  expect(huge.mb).toBeLessThan(50);
  expect(huge.bufferMb).toBeLessThan(8);
  await pace.check([huge.ms], { hangMs: 5000, medianMs: 250 });
  recordFigure({
    what: "D5 first 2,000 lines of a huge file",
    size: `${size / MB} MB`,
    found: `${rounded(huge)}; 10 lines ${rounded(few)}; of a small file ${rounded(small)}`,
  });
});

verifies("read:streaming", "the start of a huge file without line feeds is shown", async () => {
  await using at = await session();
  const size = atSize({ quick: 64 * MB, full: 1024 * MB });
  await sparse(at.dir.at("line"), "x".repeat(5000), size);
  const line = await cost(async () => {
    const answer = await at.text("read", { path: "line" });
    expect(answer).toMatch(
      /^line: lines 1-1 of at least 1 \(maybe more; continue with offset=2\)\n {5}1\tx{2000}\.\.\. \[line cut here; it has more than \d+ bytes\]$/,
    );
  });
  // To find the second line the whole file must be read, but not kept.
  const whole = await cost(async () => {
    expect(await at.fails("read", { path: "line", offset: 2 })).toBe(
      "read: line has 1 line; offset 2 is past its end",
    );
  });
  expect(line.mb).toBeLessThan(50);
  expect(whole.mb).toBeLessThan(50);
  // Far less than the file, on every version of Node: the scan itself makes no garbage.
  expect(whole.bufferMb).toBeLessThan(8);
  recordFigure({
    what: "D5 one line, and the search for a second",
    size: `${size / MB} MB`,
    found: `first ${rounded(line)}; search ${rounded(whole)}`,
  });
});

verifies("read:abort", "scanning a huge file ends on abort", async () => {
  await using at = await session();
  await sparse(at.dir.at("huge"), HEAD, 5 * 1024 * MB);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  const started = performance.now();
  const outcome = await at.call("read", { path: "huge", offset: 1_000_000 }, abort.signal);
  expect(outcome).toMatchObject({ isError: true, fault: { reason: "aborted" } });
  expect(performance.now() - started).toBeLessThan(10_000);
});

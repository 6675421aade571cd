import { verifies } from "@indus/testkit";
import { startTree } from "indusagi/core";
import { expect } from "vitest";
import { readProcessorUse } from "../../../../src/core/process-tree/index.ts";

const linux = { only: ["linux"] as const };
const patience = { timeout: 30_000, interval: 20 };
const env = { PATH: process.env["PATH"] };
const SPIN = "for (;;);";

verifies(
  "tree:processor-use",
  "a process that works is active and its ticks grow, also if it is a child of a child",
  async () => {
    const inside = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(SPIN)}])`;
    for (const source of [SPIN, inside]) {
      const tree = await startTree(process.execPath, ["-e", source], { env });
      await expect.poll(() => readProcessorUse(tree.pid)?.isActive, patience).toBe(true);
      const before = readProcessorUse(tree.pid)?.ticks ?? Number.NaN;
      await expect.poll(() => readProcessorUse(tree.pid)?.ticks, patience).toBeGreaterThan(before + 20);
      await tree.end({ graceMs: 100 });
      expect(readProcessorUse(tree.pid)).toBeUndefined();
    }
  },
  linux,
);

verifies(
  "tree:processor-use",
  "a process that waits is not active, and its ticks stay",
  async () => {
    const tree = await startTree(process.execPath, ["-e", "process.stdin.resume()"], { env, stdin: "pipe" });
    let ticks: number | undefined;
    const rests = (): boolean => {
      const before = ticks;
      const use = readProcessorUse(tree.pid);
      ticks = use?.ticks;
      return use?.isActive === false && ticks === before;
    };
    await expect.poll(rests, patience).toBe(true);
    await tree.end({ graceMs: 100 });
  },
  linux,
);

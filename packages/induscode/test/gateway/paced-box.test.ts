import { verifies } from "@indus/testkit";
import { answeredOutcome, createTableBox, type TableBox, type TableTool, textResult } from "indusagi/runtime";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { pacedBox } from "../../src/gateway/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tool = (name: string): TableTool => ({
  descriptor: { name, description: "", parameters: {} },
  run: async ({ id }) => answeredOutcome(id, textResult(name)),
});

/** A table whose number of tools changes, and a paced box over it that counts its reports. */
async function paced(until: Promise<unknown> = new Promise(() => {})): Promise<{
  readonly grow: () => void;
  readonly reportedMs: number[];
  readonly size: () => number;
  readonly stop: () => void;
}> {
  const table: TableBox = createTableBox();
  const from = Promise.resolve();
  const box = pacedBox(table.box, { intervalMs: 2_000, from, until });
  await Promise.resolve();
  const tools: TableTool[] = [];
  const startMs = performance.now();
  const reportedMs: number[] = [];
  const stop = box.onChange(() => void reportedMs.push(performance.now() - startMs));
  const grow = (): void => {
    tools.push(tool(`t${tools.length}`));
    table.replace(tools);
  };
  return { grow, reportedMs, size: () => box.descriptors().length, stop };
}

verifies(
  "catalogue:pace",
  "the first change is reported at once, later ones together every 2 s",
  async () => {
    const { grow, reportedMs, size } = await paced();
    for (let at = 0; at < 50; at++) {
      grow();
      expect(size()).toBe(at + 1); // The list itself is always current.
      vi.advanceTimersByTime(100);
    }
    vi.advanceTimersByTime(10_000);
    expect(reportedMs).toEqual([0, 2_000, 4_000, 6_000]);
  },
);

verifies("catalogue:pace", "after the start every change is reported, and no report is lost", async () => {
  let settle = (): void => {};
  const { grow, reportedMs } = await paced(new Promise<void>((resolve) => (settle = resolve)));
  grow();
  grow();
  settle();
  await Promise.resolve();
  grow(); // Included in the report that is due.
  vi.advanceTimersByTime(2_000);
  expect(reportedMs).toEqual([0, 2_000]);
  grow();
  vi.advanceTimersByTime(10);
  grow();
  expect(reportedMs).toEqual([0, 2_000, 2_000, 2_010]);
});

verifies("catalogue:pace", "a listener that is removed gets no late report", async () => {
  const { grow, reportedMs, stop } = await paced();
  grow();
  grow();
  stop();
  vi.advanceTimersByTime(5_000);
  expect(reportedMs).toEqual([0]);
});

verifies("catalogue:pace", "changes before anything was listed are not reported", async () => {
  const table = createTableBox();
  let begin = (): void => {};
  const from = new Promise<void>((resolve) => (begin = resolve));
  const box = pacedBox(table.box, { intervalMs: 2_000, from, until: new Promise(() => {}) });
  let reports = 0;
  box.onChange(() => reports++);
  table.replace([tool("a")]);
  begin();
  await Promise.resolve();
  expect(reports).toBe(0);
  table.replace([tool("a"), tool("b")]);
  expect(reports).toBe(1);
});

import { monitorEventLoopDelay } from "node:perf_hooks";
import { atSize, isFullSize, machinePace, recordFigure, verifies } from "@indus/testkit";
import type { Answers, Caller, Questions } from "indusagi/runtime";
import { expect } from "vitest";
import { becomesTrue } from "../core/process-tree/tree-shapes.ts";
import { act, evil, evilInProcess, opened, timed } from "./kit/evil.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

for (const era of ["legacy", "modern"] as const) {
  verifies("faults:b6-cursors", `${era}: cursors that lead nowhere, back, or on endlessly`, async () => {
    const table = [
      ["same", 2, true],
      ["alternating", 3, true],
      ["new", 1000, true],
      ["huge", 1, true],
      ["empty", 1, false],
      ["no-text", 1, false],
    ] as const;
    for (const [cursor, pages, truncated] of table) {
      await using endpoint = await opened(evil("s"), {}, evilInProcess({ era, cursor }));
      const cpu = process.cpuUsage();
      const { ms, value: listing } = await timed(() => endpoint.listing());
      const { user, system } = process.cpuUsage(cpu);
      expect(listing.truncated, cursor).toBe(truncated);
      expect(listing.tools, cursor).toHaveLength(pages + 1); // The base tool, plus one per page.
      if (isFullSize) expect((user + system) / 1000, cursor).toBeLessThan(1000);
      expect(await act(endpoint, "echo", { text: "usable" }), cursor).toBe("usable");
      recordFigure({
        what: `B6 cursors: ${cursor}, ${era} era`,
        size: `${pages} pages`,
        found: `${ms.toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms of processor`,
      });
    }
  });
}

verifies("faults:b6-cursors", "a hundred thousand tools in one page are cut at the limit", async () => {
  await using endpoint = await opened(
    evil("s"),
    {},
    evilInProcess({ count: atSize({ quick: 25_000, full: 100_000 }) }),
  );
  const cpu = process.cpuUsage();
  const { ms, value: listing } = await timed(() => endpoint.listing());
  const { user, system } = process.cpuUsage(cpu);
  expect(listing.truncated).toBe(true);
  expect(listing.tools).toHaveLength(20_000);
  if (isFullSize) expect((user + system) / 1000).toBeLessThan(2000);
  recordFigure({
    what: "B6 tools in one page",
    size: "100,000 tools, 20,000 taken",
    found: `${ms.toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms of processor`,
  });
});

verifies(
  "faults:b6-cursors",
  "a page full of values that are not tools is cut at the limit too",
  async () => {
    const definitions = Array.from({ length: atSize({ quick: 30_000, full: 200_000 }) }, () => null);
    await using endpoint = await opened(evil("s"), {}, evilInProcess({ definitions }));
    const listing = await endpoint.listing();
    expect(listing.truncated).toBe(true);
    expect(listing.tools).toEqual([]);
    expect(listing.skipped.length).toBeLessThanOrEqual(20_000);
    expect(endpoint.status().leftOut).toHaveLength(1);
  },
);

verifies(
  "faults:b7-floods",
  "ten thousand notifications a second cause at most four listings a second, and the last state wins",
  async () => {
    const ms = atSize({ quick: 700, full: 5000 });
    await using endpoint = await opened(evil("flood"));
    expect(await endpoint.listTools()).toHaveLength(1);
    const pace = await machinePace();
    const lag = monitorEventLoopDelay({ resolution: 5 });
    lag.enable();
    const startMs = performance.now();
    const sent = Number(await act(endpoint, "flood", { ms, perTick: 30, tickMs: 2 }));
    lag.disable();
    expect(sent).toBeGreaterThan(ms / 4);
    expect(await becomesTrue(() => endpoint.status().toolCount === 2, 10_000)).toBe(true);
    const seconds = (performance.now() - startMs) / 1000; // On a busy machine more than asked for.
    const { lists } = JSON.parse(await act(endpoint, "counts")) as { readonly lists: number };
    expect(lists).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 3);
    const p99 = lag.percentile(99) / 1e6;
    await pace.check([lag.percentile(50) / 1e6], { what: "event loop delay", hangMs: 5000, medianMs: 50 });
    recordFigure({
      what: "B7 a flood of list_changed",
      size: `${sent} notices in ${ms / 1000} s`,
      found: `${lists} listings, event loop p99 ${p99.toFixed(1)} ms, last state seen`,
    });
  },
);

verifies("faults:b7-illegal-question", "modern: a question sent as a request reaches no caller", async () => {
  const asked: Questions[] = [];
  const caller: Caller = {
    key: "me",
    can: { elicit: { form: true }, sample: {}, roots: true },
    ask: async (questions): Promise<Answers> => {
      asked.push(questions);
      return { question: { action: "accept", content: { secret: "mine" } } };
    },
  };
  await using endpoint = await opened(evil("s"), {}, evilInProcess());
  expect(endpoint.session().era).toBe("modern");
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list", "made/up"]) {
    const result = await endpoint.invoke("act", { do: "ask", method, waitMs: 30 }, { caller });
    expect(JSON.stringify(result.content), method).not.toContain("mine");
  }
  expect(asked).toEqual([]);
});

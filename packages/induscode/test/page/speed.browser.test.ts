import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { scriptedRow } from "../bin/run-indus.ts";
import { callModern } from "../gateway/serving-gateway.ts";
import { isBrowserRun, openConsole } from "./browser.ts";

const options = { when: isBrowserRun, timeoutMs: 240_000 };

const MAX_REQUESTS = 6;
const MAX_BYTES = 250_000;
const CALLS_PER_SECOND = 200;
const SECONDS = 10;
const MAX_TASK_MS = 50;

verifies(
  "browser:speed",
  "the first view needs at most 6 requests and 250 KB",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: { s: scriptedRow() } });
    const page = await opened.context.newPage();
    const sizes: number[] = [];
    page.on("response", (response) => {
      // The stream has no end; it is a request, and its first lines are small.
      if (response.url().includes("/stream")) sizes.push(0);
      else void response.body().then((body) => sizes.push(body.length));
    });
    await page.goto(await opened.link());
    await page.getByRole("row", { name: /^s ready/ }).waitFor();
    await page.getByText("live", { exact: true }).waitFor();
    await page.waitForTimeout(1000);
    process.stdout.write(
      `first view: ${sizes.length} requests, ${sizes.reduce((sum, size) => sum + size, 0)} bytes before compression\n`,
    );
    expect(sizes.length).toBeGreaterThan(4);
    expect(sizes.length).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  },
  options,
);

verifies(
  "browser:speed",
  "200 calls a second are shown without a task that keeps the page busy for more than 50 ms",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: { s: scriptedRow() } });
    const { page, gateway, show, complaints } = opened;
    await show("calls");
    await callModern(gateway.url, "s__echo");
    await page.getByRole("row", { name: /s__echo/ }).waitFor();
    // The page's processor time, not the clock: the gateway and its clients run on the same cores.
    const session = await opened.context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await opened.browser.startTracing(page, { categories: ["toplevel"] });
    const busy = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    };
    const before = await busy();
    const started = Date.now();
    let sent = 0;
    while (Date.now() - started < SECONDS * 1000) {
      const due = Math.floor(((Date.now() - started) / 1000) * CALLS_PER_SECOND);
      const batch = Array.from({ length: Math.min(40, due - sent) }, () =>
        callModern(gateway.url, "s__echo"),
      );
      sent += batch.length;
      await Promise.all(batch);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const after = await busy();
    const tasks = taskTimes(await opened.browser.stopTracing());
    const rate = sent / ((Date.now() - started) / 1000);
    const share = (after - before) / ((Date.now() - started) / 1000);
    const long = tasks.filter((ms) => ms > MAX_TASK_MS);
    process.stdout.write(
      `${Math.round(rate)} calls a second; ${tasks.length} tasks, ${long.length} of them over ${MAX_TASK_MS} ms, longest ${Math.round(tasks[0] ?? 0)} ms; the page is busy ${Math.round(share * 100)} % of the time\n`,
    );
    await expect.poll(() => page.getByRole("row", { name: /s__echo/ }).count()).toBeGreaterThan(10);
    expect(share).toBeLessThan(0.6);
    expect(tasks.length).toBeGreaterThan(sent / 10);
    expect(long).toEqual([]);
    expect(complaints).toEqual([]);
  },
  options,
);

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the thread's processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The processor time of each task of the page's main thread in milliseconds, longest first. */
function taskTimes(trace: Buffer): readonly number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const main = traceEvents.filter(
    ({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain",
  );
  const times = traceEvents
    .filter(
      ({ ph, pid, tid, tdur }) =>
        ph === "X" && tdur !== undefined && main.some((each) => each.pid === pid && each.tid === tid),
    )
    .map(({ tdur = 0 }) => tdur / 1_000);
  return times.toSorted((a, b) => b - a);
}

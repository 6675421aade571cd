import { verifies } from "@indus/testkit";
import { createManualClock, settlesWithin, withDeadline } from "indusagi/core";
import { expect } from "vitest";

const never = new Promise<never>(() => {});

/** Timers that keep the process alive. */
function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
}

verifies(
  "core:settles-within",
  "work that settles in time, also with an error, is reported and leaves no timer",
  async () => {
    const before = activeTimers();
    expect(await settlesWithin(Promise.resolve(), 60_000)).toBe(true);
    expect(await settlesWithin(Promise.reject(new Error("failed")), 60_000)).toBe(true);
    expect(activeTimers()).toBe(before);
  },
);

verifies("core:settles-within", "the wait ends with the time or with the signal", async () => {
  const clock = createManualClock();
  const waits = settlesWithin(never, 100, { clock });
  await clock.advance(100);
  expect(await waits).toBe(false);

  const controller = new AbortController();
  const aborted = settlesWithin(never, 60_000, { signal: controller.signal });
  controller.abort();
  expect(await aborted).toBe(false);
  expect(await settlesWithin(never, 60_000, { signal: controller.signal })).toBe(false);
});

verifies(
  "core:with-deadline",
  "the work's signal aborts with the given reason when the time is up",
  async () => {
    const clock = createManualClock();
    const late = new Error("too late");
    const work = withDeadline({ deadlineMs: 100, reason: () => late, clock }, (signal) =>
      rejectsOnAbort(signal),
    );
    await clock.advance(99);
    const outcome = work.catch((thrown: unknown) => thrown);
    await clock.advance(1);
    expect(await outcome).toBe(late);
  },
);

verifies(
  "core:with-deadline",
  "the work's signal aborts with the caller's signal, and a finished one leaves no timer",
  async () => {
    const before = activeTimers();
    const caller = new AbortController();
    const options = { signal: caller.signal, deadlineMs: 60_000, reason: () => new Error("too late") };
    expect(await withDeadline(options, async () => "answer")).toBe("answer");
    const work = withDeadline(options, (signal) => rejectsOnAbort(signal)).catch((thrown: unknown) => thrown);
    caller.abort("cancelled");
    expect(await work).toBe("cancelled");
    await expect(withDeadline(options, async () => "started anyway")).rejects.toBe("cancelled");
    expect(activeTimers()).toBe(before);
  },
);

function rejectsOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

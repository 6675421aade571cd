import { createHook } from "node:async_hooks";
import { verifies } from "@indus/testkit";
import { mountProtocolBridge } from "indusagi/interop";
import type { ToolOutcome } from "indusagi/runtime";
import { expect, vi } from "vitest";
import { scripted } from "../kit/scripted.ts";

async function mounted(...options: Parameters<typeof mountProtocolBridge>[1][]) {
  const { box, fleet } = await mountProtocolBridge(
    { servers: [scripted("s", "--era", "legacy")] },
    options[0],
  );
  const call = (tool: string, input: unknown, signal?: AbortSignal): Promise<ToolOutcome> =>
    box.runner.run({ id: "1", name: `s__${tool}`, input }, signal);
  return { call, fleet, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

/** What asynchronous work was begun while `work` ran, by its kind. */
async function begun(work: () => Promise<unknown>): Promise<(kind: string) => number> {
  const counts = new Map<string, number>();
  const hook = createHook({ init: (_id, kind) => void counts.set(kind, (counts.get(kind) ?? 0) + 1) });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return (kind) => counts.get(kind) ?? 0;
}

const CALLS = 50;
/** Two of them are the caller's and that of its `await`. */
const MAX_PROMISES = 6;

verifies("endpoint:lean", "calls one after another make few promises and no timers", async () => {
  await using server = await mounted();
  const calls = async (): Promise<void> => {
    for (let i = 0; i < CALLS; i++) await server.call("echo", { text: "hi" });
  };
  await calls();
  const count = await begun(calls);
  expect(count("PROMISE") / CALLS).toBeLessThanOrEqual(MAX_PROMISES);
  expect(count("Timeout") + count("Immediate")).toBeLessThan(5);
});

verifies(
  "endpoint:lean",
  "many calls at once are one write, and are answered in order, each with its own answer",
  async () => {
    await using server = await mounted();
    await server.call("echo", { text: "first" });
    const texts = Array.from({ length: 64 }, (_, at) => `text ${at}`);
    const ended: unknown[] = [];
    const count = await begun(() =>
      Promise.all(texts.map(async (text) => void ended.push((await server.call("echo", { text })).output))),
    );
    expect(ended).toEqual(texts);
    expect(count("WRITEWRAP")).toBeLessThan(5);
  },
);

verifies(
  "endpoint:abort",
  "a call that is aborted in the turn it was made is cancelled at its server",
  async () => {
    await using server = await mounted();
    const gaveUp = new AbortController();
    const running = server.call("silent", {}, gaveUp.signal);
    gaveUp.abort();
    expect(await running).toMatchObject({ isError: true, fault: { reason: "aborted" } });
    expect((await server.call("cancelled", {})).output).toMatch(/^\[\d+\]$/);
  },
);

verifies("endpoint:lean", "every end of a call gives its server back", async () => {
  await using server = await mounted({ supervision: { idleMs: 100 } });
  const gaveUp = new AbortController();
  const ends = [
    server.call("echo", { text: "hi" }),
    server.call("fail", {}),
    server.call("refuse", {}),
    server.call("nothing", {}),
    server.call("silent", {}, gaveUp.signal),
    server.call("silent", {}, AbortSignal.abort()),
  ];
  await ends[0];
  gaveUp.abort();
  await Promise.all(ends);
  // Only a server without leases is stopped when it is idle.
  await vi.waitFor(() => expect(server.fleet.statusOf("s")?.state).toBe("dormant"), 5_000);
  expect((await server.call("echo", { text: "again" })).output).toBe("again");
});

verifies(
  "endpoint:lean",
  "a call of a server that has just died ends, and the next one is answered",
  async () => {
    await using server = await mounted();
    process.kill(Number((await server.call("pid", {})).output), "SIGKILL");
    const { fault, output } = await server.call("echo", { text: "hi" });
    // It may have been written to the pipe before the end of the process was known.
    if (fault) expect(fault).toMatchObject({ kind: "transport", server: "s" });
    else expect(output).toBe("hi");
    await vi.waitFor(
      async () => expect((await server.call("echo", { text: "on" })).output).toBe("on"),
      5_000,
    );
  },
);

verifies(
  "endpoint:lean",
  "a server that reads slowly gets everything, and one that does not read fails only what does not fit",
  async () => {
    await using server = await mounted();
    const text = "x".repeat(3_000_000);
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => server.call("args", { text })));
    const refused = outcomes.filter(({ fault }) => fault);
    for (const { fault } of refused) expect(fault).toMatchObject({ retrySafe: true });
    const whole = JSON.stringify({ text }).length;
    for (const { fault, output } of outcomes) if (!fault) expect(String(output).length).toBe(whole);
    expect(outcomes.length - refused.length).toBeGreaterThan(4);
    expect((await server.call("echo", { text: "still here" })).output).toBe("still here");
  },
);

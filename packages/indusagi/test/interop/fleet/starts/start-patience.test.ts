import { verifies } from "@indus/testkit";
import type { ServerConfig, ServerFleet } from "indusagi/interop";
import type { Caller, ProgressNote } from "indusagi/runtime";
import { expect } from "vitest";
import { mountedTool } from "../../../../src/interop/bridge/mounted-tool.ts";
import { FragileFleet, server, servers } from "../fragile.ts";

const npx = (id: string): ServerConfig => ({ kind: "stdio", id, command: "npx", args: ["-y", id] });

/** A call of a tool of server `a`, with the progress its caller got. */
function call(fleet: ServerFleet) {
  const notes: ProgressNote[] = [];
  const caller: Caller = { key: "k", can: {}, progress: (note) => void notes.push(note) };
  const ref = { server: "a", name: "echo" };
  const descriptor = { name: "a__echo", description: "", parameters: {} };
  const tool = mountedTool(fleet, { ref, descriptor, definition: { name: "echo" } } as never);
  const outcome = tool.run({ id: "1", name: "a__echo", input: { text: "hi" } }, undefined, caller);
  return { notes, outcome: Promise.resolve(outcome) };
}

verifies(
  "starts:waiting-call",
  "a call that waits for an installation gets progress every 5 s and, in time, an error that says to call again",
  async () => {
    await using fleet = new FragileFleet({ acquireMs: 1000 });
    fleet.mute("a");
    void fleet.start({ servers: [npx("a")] });
    await fleet.until("a", { state: "installing" });
    expect(fleet.status().get("a")?.summary).toMatch(/^server "a" is starting for the first time/);
    const { notes, outcome } = call(fleet);
    for (let n = 0; n < 10; n++) await fleet.clock.advance(5000);
    expect(await outcome).toMatchObject({
      isError: true,
      output: expect.stringMatching(/^server "a" is still starting after 50 s: .*; call again$/),
      fault: { kind: "timeout", reason: "starting", retrySafe: true },
    });
    expect(notes.map(({ message }) => message?.replace(/.*\((.*)\)/, "$1"))).toEqual([
      "5 s",
      "10 s",
      "15 s",
      "20 s",
      "25 s",
      "30 s",
      "35 s",
      "40 s",
      "45 s",
      "50 s",
    ]);
    expect(notes[0]?.message).toMatch(/^server "a" .* install/);
    const numbers = notes.map(({ progress }) => progress);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers.at(-1)).toBeLessThan(0.001); // The tool's own notes follow, and must not go back.
    // The start itself goes on.
    expect(fleet.status().get("a")?.state).toBe("installing");
  },
);

verifies(
  "starts:queued",
  "the time in the queue counts neither for acquireMs nor for the connect deadline",
  async () => {
    await using fleet = new FragileFleet(
      { acquireMs: 1000 },
      {},
      { startConcurrency: 1, starts: { slotMs: 1e9 } },
    );
    fleet.mute("blocker");
    const blocker = { ...server("blocker"), required: true, timeouts: { connectMs: 1500 } };
    void fleet.start({ servers: [{ ...server("a"), timeouts: { connectMs: 1000 } }, blocker] });
    await fleet.until("a", {
      state: "queued",
      phase: "idle",
      summary: 'server "a" waits for its turn to start',
    });
    const { notes, outcome } = call(fleet);
    await fleet.clock.advance(20_000);
    expect(notes.map(({ message }) => message)).toContain('server "a" waits for its turn to start (20 s)');
    expect(await outcome).toMatchObject({ output: "hi", isError: false });
    expect(fleet.status().get("blocker")?.fault?.kind).toBe("timeout");
  },
);

verifies("starts:queued", "the time of a start still counts for acquireMs", async () => {
  await using fleet = new FragileFleet({ acquireMs: 4000 });
  fleet.mute("a");
  void fleet.start(servers("a"));
  await fleet.until("a", { phase: "connecting" });
  const { outcome } = call(fleet);
  await fleet.clock.advance(4000);
  expect(await outcome).toMatchObject({ output: expect.stringContaining("was not ready within 4 s") });
});

verifies("starts:order", "a call moves a waiting server to the front", async () => {
  await using fleet = new FragileFleet({}, {}, { startConcurrency: 1, starts: { slotMs: 1e9 } });
  fleet.mute("blocker");
  const blocker = { ...server("blocker"), required: true, timeouts: { connectMs: 400 } };
  void fleet.start({ servers: [blocker, ...["b", "c", "a", "d"].map(server)] });
  await fleet.until("d", { state: "queued" });
  expect(await call(fleet).outcome).toMatchObject({ output: "hi" });
  await fleet.until("d", { phase: "ready" });
  const order = fleet.statuses.filter(({ phase }) => phase === "connecting").map((status) => status.server);
  expect(order).toEqual(["blocker", "a", "b", "c", "d"]);
});

import { tempDir, verifies } from "@indus/testkit";
import { mountProtocolBridge, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { linesOf, pidOf, rough, survivors } from "./rough.ts";

const quick = { firstDelayMs: 10, maxDelayMs: 50 };

verifies(
  "supervise:killed",
  "after SIGKILL the call fails as transport, and the next process answers the next call",
  async () => {
    await using dir = await tempDir();
    const { box, fleet } = await mountProtocolBridge(
      { servers: [rough("s", "--count", dir.at("count"))] },
      { supervision: quick },
    );
    const count = (key: string, waitMs: number) =>
      box.runner.run({ id: key, name: "s__count", input: { key, waitMs } });
    const pid = await pidOf(fleet, "s");
    const killed = count("killed", 60_000);
    await expect.poll(() => linesOf(dir.at("count")), { timeout: 10_000 }).toEqual(["killed"]);
    process.kill(pid, "SIGKILL");
    expect(await killed).toMatchObject({ isError: true, fault: { kind: "transport", retrySafe: false } });
    expect(await count("next", 0)).toMatchObject({ isError: false, output: "next" });
    expect(await pidOf(fleet, "s")).not.toBe(pid);
    expect(await linesOf(dir.at("count"))).toEqual(["killed", "next"]);
    await fleet.tearDown();
  },
);

verifies("supervise:final", "a missing command is tried once, and the status names the remedy", async () => {
  const fleet = await startServerFleet(
    {
      servers: [
        { kind: "stdio", id: "none", command: "/no/such/program" },
        { kind: "stdio", id: "folder", command: "/tmp" },
        { kind: "streamable-http", id: "url", url: "not an address" },
      ],
    },
    { supervision: quick },
  );
  const seen: string[] = [];
  fleet.onStatus(({ server }) => seen.push(server));
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(seen).toEqual([]);
  for (const [id, remedy] of [
    ["none", 'install it, or check "command"'],
    ["folder", "make it executable"],
    ["url", 'correct "url" in its configuration'],
  ] as const) {
    const status = fleet.status().get(id);
    expect(status).toMatchObject({
      phase: "faulted",
      restarts: 0,
      summary: expect.stringContaining(remedy),
    });
    expect([status?.state, status?.summary?.includes("\n")]).toEqual([undefined, false]);
    await expect(fleet.acquire(id)).rejects.toBe(status?.fault);
  }
  await fleet.tearDown();
});

verifies(
  "supervise:status",
  "the status of a server that exits shows its exit code, its last output and the remedy",
  async () => {
    const fleet = await startServerFleet(
      { servers: [rough("s", "--crash")] },
      { supervision: { firstDelayMs: 60_000 } },
    );
    expect(fleet.status().get("s")).toMatchObject({
      phase: "faulted",
      state: "restarting",
      stderrTail: "the database is locked",
      summary:
        'server "s" exited before it was connected (exit code 7); standard error: the database is locked; run its command by hand to see why it exits',
    });
    await fleet.tearDown();
  },
);

verifies(
  "supervise:off",
  "a server that was killed stays faulted, and acquire rejects with its fault",
  async () => {
    const fleet = await startServerFleet({ servers: [rough("s")] }, { supervision: false });
    process.kill(await pidOf(fleet, "s"), "SIGKILL");
    await expect.poll(() => fleet.endpoint("s")?.phase).toBe("faulted");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const status = fleet.status().get("s");
    expect(status).toMatchObject({ phase: "faulted", restarts: 0, toolCount: 5 });
    expect(status?.state).toBeUndefined();
    await expect(fleet.acquire("s")).rejects.toBe(status?.fault);
    await fleet.tearDown();
  },
);

verifies(
  "fleet:starts-at-once",
  "two spinUps at once leave one set of processes, and tearDown leaves none",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const ids = ["a", "b"];
    const fleet = await startServerFleet({ servers: ids.map((id) => rough(id, "--starts", starts)) });
    const first = await survivors(starts);
    await Promise.all([fleet.spinUp(), fleet.spinUp()]);
    const second = await survivors(starts);
    expect(second.toSorted()).toEqual((await Promise.all(ids.map((id) => pidOf(fleet, id)))).toSorted());
    expect(second.filter((pid) => first.includes(pid))).toEqual([]);
    await fleet.tearDown();
    expect(await survivors(starts)).toEqual([]);
  },
);

verifies(
  "supervise:tear-down",
  "during crash loops and starts it leaves no process and starts none",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const fleet = await startServerFleet(
      {
        servers: [
          rough("loop", "--crash", "--starts", starts),
          rough("short", "--die-after", "100", "--starts", starts),
          rough("mute", "--mute", "--starts", starts),
          rough("good", "--starts", starts),
        ],
      },
      { waitMs: 300, supervision: { ...quick, breaker: { failures: 1000 } } },
    );
    await expect.poll(async () => (await linesOf(starts)).length).toBeGreaterThan(2);
    await fleet.tearDown();
    const started = (await linesOf(starts)).length;
    expect(await survivors(starts)).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await linesOf(starts)).toHaveLength(started);
  },
);

verifies("supervise:lazy", "no process of a lazy server is left after its tools are learned", async () => {
  await using dir = await tempDir();
  const starts = dir.at("starts");
  const row = rough("s", "--starts", starts);
  const { box, fleet } = await mountProtocolBridge({ servers: [row] }, { supervision: { lazy: true } });
  expect(box.descriptors().map(({ name }) => name)).toContain("s__echo");
  expect(fleet.status().get("s")).toMatchObject({ state: "dormant", toolCount: 5 });
  await expect.poll(() => survivors(starts), { timeout: 10_000 }).toEqual([]);
  expect(await linesOf(starts)).toHaveLength(1);
  const outcome = await box.runner.run({ id: "1", name: "s__echo", input: { text: "awake" } });
  expect(outcome).toMatchObject({ isError: false, output: "awake" });
  expect(await linesOf(starts)).toHaveLength(2);
  await fleet.tearDown();
});

verifies("supervise:lazy", "with a catalogue seed the tools are offered without any start", async () => {
  await using dir = await tempDir();
  const starts = dir.at("starts");
  const row = { ...rough("s", "--starts", starts), excludeTools: ["count"] };
  const first = await startServerFleet({ servers: [row] });
  const definitions = first.catalogue("s").map(({ definition }) => definition);
  const before = first.catalogue("s").map(({ descriptor }) => descriptor);
  await first.tearDown();
  const damaged = [null, { name: "no-schema" }, ...definitions] as typeof definitions;
  const { box, fleet } = await mountProtocolBridge(
    { servers: [row] },
    { supervision: { lazy: true }, catalogueSeed: new Map([["s", damaged]]) },
  );
  expect(box.descriptors()).toEqual(before);
  expect(fleet.status().get("s")).toMatchObject({ phase: "idle", state: "dormant", toolCount: 4 });
  expect(await linesOf(starts)).toHaveLength(1);
  const offered = box.descriptors();
  const outcome = await box.runner.run({ id: "1", name: "s__echo", input: { text: "awake" } });
  expect(outcome).toMatchObject({ isError: false, output: "awake" });
  await expect.poll(() => fleet.status().get("s"), { timeout: 10_000 }).toMatchObject({ phase: "ready" });
  expect(box.descriptors()).toBe(offered);
  await fleet.tearDown();
});

verifies(
  "fleet:refused-row",
  'a row with an unknown "share" is refused with one line and not started',
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const row = { ...rough("s", "--starts", starts), share: "galaxy" as "fleet" };
    const reports: string[] = [];
    const { box, fleet } = await mountProtocolBridge(
      { servers: [row, rough("good")] },
      { supervision: quick, report: (line) => reports.push(line) },
    );
    const line = `server "s" is not started: "share" is "galaxy" and must be one of fleet, user, principal, session; correct its row in the configuration`;
    const status = fleet.status().get("s");
    expect(status).toMatchObject({ phase: "faulted", toolCount: 0, restarts: 0, summary: line });
    expect(reports).toEqual([line]);
    expect(box.descriptors().filter(({ name }) => name.startsWith("s__"))).toEqual([]);
    await expect(fleet.acquire("s")).rejects.toBe(status?.fault);
    await fleet.restart("s");
    expect(await linesOf(starts)).toEqual([]);
    await fleet.addServer({ ...row, id: "later" });
    expect(reports).toEqual([line, line.replace('"s"', '"later"')]);
    await fleet.addServer({ ...row, share: "fleet" });
    expect(fleet.status().get("s")).toMatchObject({ phase: "ready", toolCount: 5 });
    await fleet.tearDown();
    expect([reports.length, (await linesOf(starts)).length]).toEqual([2, 1]);
  },
);

import { verifies } from "@indus/testkit";
import { linkedTransports, type ServerState, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { bridgeBox } from "../../../src/interop/bridge/index.ts";
import { flakyHttp } from "./flaky-http.ts";
import { FragileFleet, server, servers, textOf } from "./fragile.ts";

const isPending = async (work: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol("pending");
  await new Promise((resolve) => setTimeout(resolve, 20));
  return (await Promise.race([work.catch(() => {}), Promise.resolve(pending)])) === pending;
};

verifies("supervise:unseen", "a call during a restart is answered by the next endpoint", async () => {
  await using fleet = new FragileFleet();
  await fleet.start(servers("a"));
  const box = bridgeBox(fleet);
  const before = box.descriptors();
  let changes = 0;
  box.onChange(() => changes++);
  const first = fleet.endpoint("a");
  await fleet.kill("a");
  await fleet.until("a", { phase: "faulted", state: "restarting", toolCount: 22, restarts: 0 });
  const call = box.runner.run({ id: "1", name: "a__echo", input: { text: "still here" } });
  expect(await isPending(call)).toBe(true);
  await fleet.clock.advance(249);
  expect(fleet.starts("a")).toBe(1);
  await fleet.clock.advance(1);
  expect(await call).toMatchObject({ output: "still here", isError: false });
  await fleet.until("a", { phase: "ready", restarts: 1, toolCount: 22 });
  expect(fleet.status().get("a")?.fault).toBeUndefined();
  expect(fleet.endpoint("a")).not.toBe(first);
  expect(first?.phase).toBe("faulted");
  expect(box.descriptors()).toBe(before);
  expect([changes, fleet.changes]).toEqual([0, ["a:22"]]);
});

verifies(
  "supervise:unseen",
  "a restart with other tools is reported as a change, and unchanged tools keep their objects",
  async () => {
    const scripted = { manyTools: 0 };
    await using fleet = new FragileFleet({}, scripted);
    await fleet.start(servers("a"));
    const [echo] = fleet.catalogue("a");
    scripted.manyTools = 2;
    await fleet.kill("a");
    await fleet.clock.advance(250);
    await fleet.until("a", { phase: "ready", toolCount: 24 });
    expect(fleet.changes).toEqual(["a:22", "a:24"]);
    expect(fleet.catalogue("a")[0]).toBe(echo);
  },
);

verifies(
  "supervise:breaker",
  "after five failures in a minute the tools are withdrawn, one try follows every 30 s, and a good start restores them",
  async () => {
    await using fleet = new FragileFleet();
    await fleet.start(servers("a", "b"));
    const box = bridgeBox(fleet);
    fleet.breakAll(true);
    await fleet.kill("a");
    for (const [failures, delayMs] of [250, 500, 1000].entries()) {
      await fleet.until("a", { phase: "faulted", state: "restarting", restarts: failures });
      expect(fleet.catalogue("a")).toHaveLength(22);
      await fleet.clock.advance(delayMs);
    }
    await fleet.until("a", { state: "restarting", restarts: 3 });
    await fleet.clock.advance(2000);
    await fleet.until("a", { phase: "faulted", state: "tripped", toolCount: 0, restarts: 4 });
    expect([fleet.starts("a"), fleet.changes]).toEqual([5, ["a:22", "b:22", "a:0"]]);
    expect(box.descriptors()).toHaveLength(22);
    await expect(fleet.acquire("a")).rejects.toMatchObject({
      kind: "not_connected",
      reason: "tripped",
      retrySafe: true,
      message: expect.stringContaining("failed 5 times and is now retried only every 30 s"),
    });
    await fleet.clock.advance(29_000);
    expect(fleet.starts("a")).toBe(5);
    await fleet.clock.advance(1000);
    // It stays open when the failures that opened it are old.
    for (const starts of [6, 7, 8]) {
      await expect.poll(() => fleet.starts("a")).toBe(starts);
      await fleet.until("a", { phase: "faulted", state: "tripped", toolCount: 0, restarts: starts - 1 });
      await expect.poll(() => fleet.clock.sleeping).toBe(1);
      if (starts < 8) await fleet.clock.advance(30_000);
    }
    fleet.breakAll(false);
    await fleet.clock.advance(30_000);
    await fleet.until("a", { phase: "ready", toolCount: 22 });
    expect(fleet.status().get("a")?.state).toBeUndefined();
    expect([fleet.changes.at(-1), box.descriptors().length]).toEqual(["a:22", 44]);
    expect(fleet.endpoint("b")?.phase).toBe("ready");
  },
);

verifies(
  "supervise:breaker",
  "a server that hangs opens it too, although its failures are further apart than the breaker's time",
  async () => {
    const fleet = await startServerFleet(
      { servers: [{ ...server("mute"), timeouts: { connectMs: 40 } }] },
      {
        transport: () => linkedTransports()[0],
        supervision: { firstDelayMs: 1, breaker: { failures: 3, withinMs: 30 } },
      },
    );
    const call = fleet.acquire("mute", { signal: new AbortController().signal });
    await expect(call).rejects.toMatchObject({ kind: "not_connected", reason: "tripped", retrySafe: true });
    expect(fleet.status().get("mute")).toMatchObject({ phase: "faulted", state: "tripped", restarts: 2 });
    await fleet.tearDown();
  },
);

verifies(
  "supervise:acquire",
  "it waits acquireMs with and without a signal, and the signal may end the wait earlier",
  async () => {
    await using fleet = new FragileFleet({ acquireMs: 1000, firstDelayMs: 60_000, maxDelayMs: 60_000 });
    await fleet.start(servers("a"));
    await fleet.kill("a");
    const acquired = (signal?: AbortSignal) =>
      fleet.acquire("a", signal ? { signal } : {}).catch((thrown: unknown) => thrown);
    const endless = new AbortController().signal;
    const abort = new AbortController();
    const patient = [acquired(), acquired(endless)];
    const impatient = acquired(abort.signal);
    const call = bridgeBox(fleet).runner.run({ id: "1", name: "a__echo", input: {} }, endless);
    expect(await isPending(Promise.race([...patient, impatient, call]))).toBe(true);
    const reason = new Error("too slow");
    abort.abort(reason);
    expect(await impatient).toBe(reason);
    await fleet.clock.advance(1000);
    const summary = 'was not ready within 1 s; last failure: server "a" ended';
    for (const refusal of await Promise.all(patient))
      expect(refusal).toMatchObject({
        kind: "timeout",
        retrySafe: true,
        message: expect.stringContaining(summary),
      });
    expect(await call).toMatchObject({ isError: true, fault: { kind: "timeout", retrySafe: true } });
    await fleet.clock.advance(58_500);
    const joined = fleet.acquire("a", { signal: endless });
    await fleet.clock.advance(500);
    const lease = await joined;
    expect(textOf(await lease.endpoint.invoke("echo", { text: "joined" }))).toBe("joined");
    expect(lease.endpoint).toBe(fleet.endpoint("a"));
    lease.release();
    expect(fleet.clock.sleeping).toBe(0);
  },
);

verifies(
  "supervise:acquire",
  "an endpoint closed by its holder is followed by a new one on demand",
  async () => {
    await using fleet = new FragileFleet();
    await fleet.start(servers("a"));
    await fleet.endpoint("a")?.close();
    expect(fleet.status().get("a")?.phase).toBe("closed");
    const leases = await Promise.all([fleet.acquire("a"), fleet.acquire("a")]);
    expect(new Set(leases.map((lease) => lease.endpoint))).toEqual(new Set([fleet.endpoint("a")]));
    expect(fleet.starts("a")).toBe(2);
  },
);

verifies(
  "supervise:lazy",
  "a lazy server is started once to learn its tools and stopped; the first call wakes it, once for all callers",
  async () => {
    await using fleet = new FragileFleet({ lazy: true });
    await fleet.start(servers("a", "b"));
    const box = bridgeBox(fleet);
    for (const id of ["a", "b"])
      expect(fleet.status().get(id)).toMatchObject({ phase: "idle", state: "dormant", toolCount: 22 });
    expect([fleet.starts("a"), fleet.changes, box.descriptors().length]).toEqual([1, ["a:22", "b:22"], 44]);
    const leases = await Promise.all([1, 2, 3].map(() => fleet.acquire("a")));
    expect(leases.every((lease) => lease.endpoint === fleet.endpoint("a"))).toBe(true);
    await fleet.until("a", { phase: "ready", toolCount: 22 });
    expect(fleet.status().get("a")?.state).toBeUndefined();
    expect([fleet.starts("a"), fleet.starts("b"), fleet.changes]).toEqual([2, 1, ["a:22", "b:22"]]);
    const outcome = await box.runner.run({ id: "1", name: "b__echo", input: { text: "awake" } });
    expect([outcome.output, fleet.starts("b")]).toEqual(["awake", 2]);
  },
);

verifies(
  "supervise:lazy",
  "a call that arrives while the tools are learned keeps the server running",
  async () => {
    await using fleet = new FragileFleet({ lazy: true });
    const starting = fleet.start(servers("a"));
    const lease = await fleet.acquire("a");
    lease.release();
    await starting;
    await fleet.until("a", { phase: "ready", toolCount: 22 });
    expect([fleet.starts("a"), fleet.endpoint("a")]).toEqual([1, lease.endpoint]);
  },
);

verifies("supervise:lazy", "a first start that fails is repeated until the tools are known", async () => {
  await using fleet = new FragileFleet({ lazy: true });
  fleet.breakAll(true);
  await fleet.start(servers("a"));
  expect(fleet.status().get("a")).toMatchObject({ phase: "faulted", state: "restarting", toolCount: 0 });
  fleet.breakAll(false);
  await fleet.clock.advance(250);
  await fleet.until("a", { phase: "idle", state: "dormant", toolCount: 22, restarts: 1 });
});

verifies(
  "supervise:dormant",
  "an idle server is stopped, keeps its tools, and the next call starts it",
  async () => {
    await using fleet = new FragileFleet({ idleMs: 1000 });
    await fleet.start(servers("a"));
    const box = bridgeBox(fleet);
    const first = fleet.endpoint("a");
    await fleet.clock.advance(999);
    expect(fleet.status().get("a")?.phase).toBe("ready");
    await fleet.clock.advance(1);
    expect(fleet.status().get("a")).toMatchObject({
      phase: "idle",
      state: "dormant",
      toolCount: 22,
      restarts: 0,
    });
    await expect.poll(() => first?.phase).toBe("closed");
    const outcome = await box.runner.run({ id: "1", name: "a__echo", input: { text: "awake" } });
    expect(outcome.output).toBe("awake");
    await fleet.until("a", { phase: "ready" });
    expect([fleet.starts("a"), fleet.changes]).toEqual([2, ["a:22"]]);
  },
);

verifies("supervise:drain", "an idle server is not stopped during a leased call", async () => {
  await using fleet = new FragileFleet({ idleMs: 1000 });
  await fleet.start(servers("a"));
  const lease = await fleet.acquire("a");
  await fleet.clock.advance(5000);
  expect(fleet.status().get("a")?.phase).toBe("ready");
  lease.release();
  lease.release();
  await fleet.clock.advance(1000);
  expect(fleet.status().get("a")?.state).toBe("dormant");
});

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "supervise:check",
    `${era}: an unused server is pinged, any answer is enough, and silence is a fault`,
    async () => {
      const scripted = { era, mute: false };
      await using fleet = new FragileFleet({ checkMs: 1000, checkTimeoutMs: 50 }, scripted);
      await fleet.start(servers("a"));
      await fleet.clock.advance(5000);
      expect(fleet.status().get("a")).toMatchObject({ phase: "ready", restarts: 0 });
      scripted.mute = true;
      await fleet.clock.advance(1000);
      await fleet.until("a", { phase: "faulted", state: "restarting", toolCount: 22 });
      expect(fleet.status().get("a")?.fault).toMatchObject({ kind: "timeout" });
      scripted.mute = false;
      await fleet.clock.advance(250);
      await fleet.until("a", { phase: "ready", restarts: 1, toolCount: 22 });
      expect(fleet.changes).toEqual(["a:22"]);
    },
  );
}

verifies(
  "supervise:restart",
  "a ready, a waiting and a tripped server are restarted; an unknown id returns false",
  async () => {
    await using fleet = new FragileFleet({ breaker: { failures: 2 } });
    await fleet.start(servers("a"));
    const first = fleet.endpoint("a");
    expect(await fleet.restart("a")).toBe(true);
    expect([first?.phase, fleet.endpoint("a")?.phase, fleet.starts("a")]).toEqual(["closed", "ready", 2]);
    await fleet.kill("a");
    expect(fleet.status().get("a")?.state).toBe("restarting");
    expect(await fleet.restart("a")).toBe(true);
    await fleet.clock.advance(250);
    expect([fleet.endpoint("a")?.phase, fleet.starts("a")]).toEqual(["ready", 3]);
    fleet.breakAll(true);
    await fleet.kill("a");
    await fleet.clock.advance(250);
    await fleet.until("a", { state: "tripped" });
    expect(await fleet.restart("a")).toBe(true);
    await fleet.until("a", { phase: "faulted", state: "restarting" });
    fleet.breakAll(false);
    await fleet.restart("a");
    await fleet.until("a", { phase: "ready", toolCount: 22 });
    expect(await fleet.restart("unknown")).toBe(false);
  },
);

verifies("supervise:reload", "only changed rows are touched, and the order is the new one", async () => {
  await using fleet = new FragileFleet();
  await fleet.start(servers("a", "b", "c"));
  const [a, b, c] = fleet.endpoints();
  const report = await fleet.reload({
    servers: [server("d"), { ...server("b"), timeouts: { callMs: 1000 } }, { ...server("a") }],
  });
  expect(report).toEqual({ added: ["d"], removed: ["c"], changed: ["b"], kept: ["a"] });
  expect([...fleet.status().keys()]).toEqual(["d", "b", "a"]);
  expect(fleet.endpoint("a")).toBe(a);
  expect([a?.phase, b?.phase, c?.phase, fleet.endpoint("b")?.phase]).toEqual([
    "ready",
    "closed",
    "closed",
    "ready",
  ]);
  expect(fleet.changes.slice(3).toSorted()).toEqual(["b:0", "b:22", "c:0", "d:22"]);
  expect(await fleet.reload({ servers: fleet.endpoints().map((endpoint) => endpoint.config) })).toMatchObject(
    {
      kept: ["d", "b", "a"],
      changed: [],
    },
  );
  const slower = { servers: [server("a")], timeouts: { callMs: 5 } };
  expect(await fleet.reload(slower)).toMatchObject({ changed: ["a"], removed: ["d", "b"] });
});

verifies(
  "supervise:drain",
  "a reload waits for the calls of the servers it ends, at most drainMs",
  async () => {
    await using fleet = new FragileFleet({ drainMs: 1000 });
    await fleet.start(servers("a", "b"));
    const [leaseA, leaseB] = await Promise.all([fleet.acquire("a"), fleet.acquire("b")]);
    const reloading = fleet.reload({ servers: [{ ...server("b"), timeouts: { callMs: 1 } }] });
    const next = fleet.acquire("b");
    expect(await isPending(reloading)).toBe(true);
    expect([leaseA.endpoint.phase, leaseB.endpoint.phase]).toEqual(["ready", "ready"]);
    expect(textOf(await leaseB.endpoint.invoke("echo", { text: "last call" }))).toBe("last call");
    leaseB.release();
    expect((await next).endpoint).toBe(fleet.endpoint("b"));
    expect(leaseB.endpoint.phase).toBe("closed");
    expect(await isPending(reloading)).toBe(true);
    await fleet.clock.advance(1000);
    await reloading;
    expect(leaseA.endpoint.phase).toBe("closed");
  },
);

verifies(
  "supervise:tear-down",
  "it ends pending restarts, drains and waits, and nothing starts afterwards",
  async () => {
    const fleet = new FragileFleet({ idleMs: 5000, drainMs: 60_000 });
    await fleet.start(servers("waiting", "ready", "leased"));
    await fleet.kill("waiting");
    const refused = fleet.acquire("waiting").catch((thrown: unknown) => thrown);
    const lease = await fleet.acquire("leased");
    const reloading = fleet.reload(servers("waiting", "ready"));
    await fleet.tearDown();
    await reloading;
    expect(await refused).toMatchObject({ kind: "not_connected", retrySafe: true });
    expect([lease.endpoint.phase, fleet.clock.sleeping, fleet.endpoints()]).toEqual(["closed", 0, []]);
    const starts = ["waiting", "ready", "leased"].map((id) => fleet.starts(id));
    await fleet.clock.advance(120_000);
    expect(["waiting", "ready", "leased"].map((id) => fleet.starts(id))).toEqual(starts);
    expect(fleet.changes.filter((news) => news.endsWith(":0")).toSorted()).toEqual([
      "leased:0",
      "ready:0",
      "waiting:0",
    ]);
  },
);

verifies(
  "supervise:status",
  "every change is reported once, in order, and a listener that throws does not affect the others",
  async () => {
    await using fleet = new FragileFleet();
    fleet.onStatus(() => {
      throw new Error("a broken listener");
    });
    await fleet.start(servers("a"));
    await fleet.kill("a");
    await fleet.clock.advance(250);
    await fleet.until("a", { phase: "ready", restarts: 1 });
    const reported = fleet.statuses.map(({ phase, state = "-", toolCount, restarts }) =>
      [phase, state, toolCount, restarts].join(" "),
    );
    expect(reported).toEqual([
      "connecting - 0 0",
      "ready - 0 0",
      "ready - 22 0",
      "faulted restarting 22 0",
      "faulted restarting 22 1",
      "ready - 22 1",
    ]);
    expect(fleet.statuses[3]?.summary).toBe('server "a" ended the connection; see the log of the server');
    expect(fleet.statuses[3]?.fault).toMatchObject({ kind: "transport" });
    expect(fleet.status().get("a")?.notes?.[0]).toContain("restarted once; last failure");
  },
);

/** How each state that a status can show comes about. */
const PRODUCERS: {
  readonly [state in ServerState]: (fleet: FragileFleet) => Promise<void>;
} = {
  dormant: async (fleet) => {
    await fleet.start(servers("a"));
    await fleet.clock.advance(60_000);
  },
  queued: async (fleet) => {
    const others = Array.from({ length: 12 }, (_, n) => `mute-${n}`); // As many as may ever start at the same time.
    fleet.mute(...others);
    void fleet.start(servers(...others, "a"));
  },
  installing: async (fleet) => {
    fleet.mute("a");
    void fleet.start({ servers: [{ kind: "stdio", id: "a", command: "npx", args: ["-y", "some-server"] }] });
  },
  restarting: async (fleet) => {
    await fleet.start(servers("a"));
    await fleet.kill("a");
  },
  tripped: async (fleet) => {
    fleet.breakAll(true);
    await fleet.start(servers("a"));
    await fleet.clock.advance(250);
  },
  needs_login: async (fleet) => {
    await using http = await flakyHttp("legacy");
    http.refuse = () => ({ status: 401 });
    await fleet.start({
      servers: [{ kind: "streamable-http", id: "a", url: http.url, onMismatch: "fail" }],
    });
  },
  disabled: (fleet) => fleet.start({ servers: [{ ...server("a"), enabled: false }] }),
  untrusted: (fleet) => fleet.start({ servers: [{ ...server("a"), pending: true }] }),
  slow: async (fleet) => {
    await fleet.start({ servers: [{ ...server("a"), timeouts: { callMs: 30 } }] });
    for (let n = 0; n < 2; n++)
      await expect(fleet.endpoint("a")?.invoke("silent", {})).rejects.toMatchObject({ kind: "timeout" });
  },
};

for (const [state, produce] of Object.entries(PRODUCERS)) {
  verifies("supervise:shown-states", `something produces the state ${state}`, async () => {
    await using fleet = new FragileFleet({ idleMs: 60_000, breaker: { failures: 2 } });
    await produce(fleet);
    await fleet.until("a", { state: state as ServerState });
    expect(fleet.statuses.map((status) => status.state)).toContain(state);
  });
}

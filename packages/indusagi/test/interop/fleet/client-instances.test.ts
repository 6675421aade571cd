import { verifies } from "@indus/testkit";
import type { ServerFleet } from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import { expect } from "vitest";
import { liveFleet } from "../kit/live-fleet.ts";

const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 10_000 });
const callerOf = (key: string, principal?: string): Caller => ({
  key,
  can: {},
  ...(principal && { principal }),
});

/** Uses the instance of a caller for one call, and returns its connection. */
async function use(fleet: ServerFleet, caller?: Caller): Promise<object> {
  const lease = await fleet.acquire("up", caller ? { caller } : {});
  await lease.endpoint.invoke("tool", {});
  lease.release();
  return lease.endpoint;
}

verifies(
  "fleet:share",
  "one instance per session, limited; the idle one gives way, a client takes its own along",
  async () => {
    await using live = await liveFleet({ up: { share: "session" } }, { instances: { max: 2 } });
    const { fleet } = live;
    const count = (): number | undefined => fleet.status().get("up")?.instances;
    // It was started once to learn its tools.
    expect([fleet.catalogue("up").length > 0, fleet.status().get("up")?.state, count()]).toEqual([
      true,
      "dormant",
      0,
    ]);
    const [a, b] = [callerOf("a"), callerOf("b")];
    const [ofA, ofB] = [await use(fleet, a), await use(fleet, b)];
    expect(ofA).not.toBe(ofB);
    expect(await use(fleet, a)).toBe(ofA);
    expect(count()).toBe(2);

    const held = await fleet.acquire("up", { caller: a });
    expect(await use(fleet, callerOf("c"))).not.toBe(ofB);
    expect(count()).toBe(2);
    const alsoHeld = await fleet.acquire("up", { caller: callerOf("c") });
    await expect(fleet.acquire("up", { caller: b })).rejects.toMatchObject({
      reason: "busy",
      retrySafe: true,
    });
    alsoHeld.release();
    await fleet.endClient("a");
    await expect(held.endpoint.invoke("tool", {})).rejects.toMatchObject({ kind: "not_connected" });
    expect(count()).toBe(1);
    expect(await use(fleet)).not.toBe(ofA);
    await fleet.removeServer("up");
    await expect(fleet.acquire("up", { caller: b })).rejects.toThrow('no server "up"');
  },
);

verifies("fleet:share", "an instance that a call waits for does not give way to another", async () => {
  await using live = await liveFleet({ up: { share: "session" } }, { instances: { max: 2 } });
  const { fleet } = live;
  // None of the instances is connected when the last caller comes.
  const used = await Promise.allSettled(["a", "b", "c"].map((key) => use(fleet, callerOf(key))));
  expect(used.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(used[2]).toMatchObject({ reason: { reason: "busy", retrySafe: true } });
  expect(await use(fleet, callerOf("c"))).toBeDefined();
});

verifies(
  "fleet:share",
  "an instance is stopped when it is idle, and started again by the next call",
  async () => {
    await using live = await liveFleet({ up: { share: "session" } }, { instances: { idleMs: 30 } });
    const { fleet } = live;
    const first = await use(fleet, callerOf("a"));
    await soon(() => fleet.status().get("up")?.instances).toBe(0);
    expect(await use(fleet, callerOf("a"))).not.toBe(first);
    const release = await fleet.watchResource("up", "live://clock", { caller: callerOf("a") });
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(fleet.status().get("up")?.instances).toBe(1);
    await release();
    await soon(() => fleet.status().get("up")?.instances).toBe(0);
  },
);

verifies("fleet:share", "the instance of a single request ends with it", async () => {
  await using live = await liveFleet({ up: { share: "session" } });
  const { fleet } = live;
  const caller = { ...callerOf("request"), isSingle: true };
  const [first, second] = [await fleet.acquire("up", { caller }), await fleet.acquire("up", { caller })];
  first.release();
  first.release();
  await second.endpoint.invoke("tool", {});
  expect(fleet.status().get("up")?.instances).toBe(1);
  second.release();
  expect(fleet.status().get("up")?.instances).toBe(0);
  await soon(() => second.endpoint.phase).toBe("closed");
});

verifies(
  "fleet:share",
  "the sessions of one principal can share an instance, which outlives them",
  async () => {
    await using live = await liveFleet({ up: { share: "principal" } });
    const { fleet } = live;
    const first = await use(fleet, callerOf("a", "ann"));
    expect(await use(fleet, callerOf("b", "ann"))).toBe(first);
    expect(await use(fleet, callerOf("c", "bob"))).not.toBe(first);
    await fleet.endClient("a");
    expect(await use(fleet, callerOf("b", "ann"))).toBe(first);
    await fleet.restart("up");
    expect(await use(fleet, callerOf("b", "ann"))).not.toBe(first);
  },
);

import { verifies } from "@indus/testkit";
import type { FleetLog, FleetNotification, ServerFleet } from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import { expect } from "vitest";
import { liveFleet } from "../../kit/live-fleet.ts";

const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 10_000 });
const CLOCK = "live://clock";
const quick = { supervision: { firstDelayMs: 1 } };
const callerOf = (key: string, more: Partial<Caller> = {}): Caller => ({ key, can: {}, ...more });

/** Calls a tool of the server "up". */
async function call(fleet: ServerFleet, name: string, args = {}, caller?: Caller): Promise<string> {
  const lease = await fleet.acquire("up", caller ? { caller } : {});
  try {
    const { content } = await lease.endpoint.invoke(name, args, caller ? { caller } : {});
    return (content as { text: string }[])[0]?.text ?? "";
  } finally {
    lease.release();
  }
}

async function seen(
  fleet: ServerFleet,
): Promise<{ levels: string[]; subscribes: string[]; unsubscribes: string[] }> {
  return JSON.parse(await call(fleet, "seen")) as never;
}

verifies(
  "fleet:feed",
  "notifications arrive before and after a restart, log messages with their audience",
  async () => {
    await using live = await liveFleet({ up: {} }, quick);
    const { fleet, starts } = live;
    const heard: FleetNotification[] = [];
    const logs: FleetLog[] = [];
    const stop = fleet.onNotification((notification) => void heard.push(notification));
    fleet.onLog((log) => void logs.push(log));
    const changed = {
      server: "up",
      notification: expect.objectContaining({ method: "notifications/prompts/list_changed" }),
    };
    await call(fleet, "change", { list: "prompts" });
    await soon(() => heard).toEqual([changed]);
    await starts.get("up")?.[0]?.close();
    await call(fleet, "change", { list: "prompts" });
    await soon(() => heard).toEqual([changed, changed]);
    stop();
    await call(fleet, "change", { list: "prompts" });

    // Our own calls are no client's.
    await call(fleet, "log_later", { data: 1 });
    await soon(() => logs.length).toBe(1);
    for (const [at, key] of ["a", "b"].entries()) {
      await call(fleet, "log_later", { data: key }, callerOf(key));
      await soon(() => logs.length).toBe(2 + at);
    }
    const kinds = [{ kind: "all" }, { kind: "client", key: "a" }, { kind: "none" }];
    expect(logs.map(({ audience }) => audience)).toEqual(kinds);
    expect(heard).toHaveLength(2);
  },
);

verifies(
  "fleet:feed",
  "a listener for the log of one server is called in addition to those of the fleet",
  async () => {
    const heard: string[] = [];
    const listener = (name: string) => (server: string) => void heard.push(`${name} ${server}`);
    await using live = await liveFleet(
      { up: {} },
      { ...quick, onLog: listener("all"), endpointOptions: () => ({ onLog: listener("own") }) },
    );
    live.fleet.onLog(({ server }) => listener("feed")(server));
    await call(live.fleet, "log_later", { data: 1 });
    await soon(() => heard.toSorted()).toEqual(["all up", "feed up", "own up"]);
  },
);

verifies(
  "fleet:watches",
  "one subscription for all watchers, renewed after a restart, ended with the last",
  async () => {
    await using live = await liveFleet({ up: {} }, quick);
    const { fleet, starts } = live;
    const updates: unknown[] = [];
    fleet.onNotification(({ notification: { method, params } }) => {
      if (method === "notifications/resources/updated") updates.push(params?.["uri"]);
    });
    const [first, second] = await Promise.all([
      fleet.watchResource("up", CLOCK),
      fleet.watchResource("up", CLOCK),
    ]);
    expect((await seen(fleet)).subscribes).toEqual([CLOCK]);
    await call(fleet, "update", { uri: CLOCK });
    await soon(() => updates).toEqual([CLOCK]);
    await starts.get("up")?.[0]?.close();
    await soon(() => updates).toEqual([CLOCK, CLOCK]);
    expect(await seen(fleet)).toMatchObject({ subscribes: [CLOCK], unsubscribes: [] });
    await first();
    await first();
    expect((await seen(fleet)).unsubscribes).toEqual([]);
    await second();
    expect((await seen(fleet)).unsubscribes).toEqual([CLOCK]);
    await starts.get("up")?.[1]?.close();
    expect((await seen(fleet)).subscribes).toEqual([]);
    expect(updates).toHaveLength(2);
    await expect(fleet.watchResource("none", CLOCK)).rejects.toMatchObject({ kind: "not_connected" });
    const gone = new AbortController();
    gone.abort();
    await expect(fleet.watchResource("up", CLOCK, { signal: gone.signal })).rejects.toThrow();
    await expect.poll(async () => (await seen(fleet)).unsubscribes, { timeout: 10_000 }).toEqual([CLOCK]);
  },
);

verifies(
  "fleet:watches",
  "a changed row, and one that is removed and comes back, go on with what is watched, also a lazy one",
  async () => {
    const supervision = { firstDelayMs: 1, lazy: true, drainMs: 1 };
    const catalogueSeed = new Map([["up", [{ name: "seen", inputSchema: { type: "object" as const } }]]]);
    await using live = await liveFleet({ up: {} }, { supervision, catalogueSeed });
    const { fleet } = live;
    const updates: unknown[] = [];
    fleet.onNotification(({ notification: { method, params } }) => {
      if (method === "notifications/resources/updated") updates.push(params?.["uri"]);
    });
    const row = { kind: "stdio", id: "up", command: "(in this process)" } as const;
    const stop = await fleet.watchResource("up", CLOCK);
    await fleet.reload({ servers: [{ ...row, args: ["changed"] }] });
    await soon(() => updates).toEqual([CLOCK]);
    expect((await seen(fleet)).subscribes).toEqual([CLOCK]);
    await fleet.reload({ servers: [] });
    await fleet.reload({ servers: [row] });
    await soon(() => updates).toEqual([CLOCK, CLOCK]);
    expect((await seen(fleet)).subscribes).toEqual([CLOCK]);
    await fleet.setLogLevel("a", "notice");
    expect((await seen(fleet)).levels).toEqual(["notice"]);
    await stop();
    expect((await seen(fleet)).unsubscribes).toEqual([CLOCK]);
    await fleet.reload({ servers: [{ ...row, args: ["again"] }] });
    expect(fleet.status().get("up")?.state).toBe("dormant"); // Nothing is watched any more.
    expect((await seen(fleet)).subscribes).toEqual([]);
    expect(updates).toHaveLength(2);
  },
);

verifies("fleet:log-level", "the most verbose of all clients and of the last requests", async () => {
  await using live = await liveFleet({ up: {} }, quick);
  const { fleet, starts } = live;
  expect((await seen(fleet)).levels).toEqual([]);
  await fleet.setLogLevel("a", "error");
  await fleet.setLogLevel("b", "notice");
  await fleet.setLogLevel("a", "critical");
  await fleet.setLogLevel("b", undefined);
  expect((await seen(fleet)).levels).toEqual(["error", "notice", "critical"]);
  await starts.get("up")?.[0]?.close();
  expect((await seen(fleet)).levels).toEqual(["critical"]);
  for (const logLevel of ["info", "info", "warning"] as const)
    await call(fleet, "tool", {}, callerOf("request", { logLevel }));
  expect((await seen(fleet)).levels).toEqual(["critical", "info"]);
  await fleet.endClient("a");
  expect((await seen(fleet)).levels).toEqual(["critical", "info"]);
});

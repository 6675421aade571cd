import { mkdtempSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  type FleetLog,
  InstancePool,
  type InstanceScope,
  type PoolMember,
  type ServerConfig,
  type ServerFleet,
  startServerFleet,
} from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import { expect } from "vitest";
import { instanceKey } from "../../../src/interop/fleet/instances/instance-key.ts";

const live = fileURLToPath(new URL("../../../../../test/servers/live.mjs", import.meta.url));
const scripted = fileURLToPath(new URL("../../../../../test/servers/server.mjs", import.meta.url));
const row = (program: string, more: object = {}): ServerConfig => ({
  ...{ kind: "stdio", id: "s", command: process.execPath, args: [program] },
  ...more,
});

const here = realpathSync(mkdtempSync(join(tmpdir(), "indus-pool-")));

function scopeOf(more: Partial<InstanceScope> = {}, env: object = {}): InstanceScope {
  return {
    place: { env: { PATH: process.env["PATH"], ...env }, cwd: here },
    ...{ folder: here, home: homedir(), credentials: "/state", container: "" },
    ...more,
  };
}

async function fleetIn(
  pool: InstancePool,
  name: string,
  config: ServerConfig,
  scope = scopeOf(),
): Promise<ServerFleet> {
  const sharing: PoolMember = { pool, name, scope };
  return startServerFleet(
    { servers: [config] },
    { sharing, place: scope.place, wantsLogs: true, supervision: { firstDelayMs: 10 } },
  );
}

const caller = (key: string, more: Partial<Caller> = {}): Caller => ({ key, can: {}, ...more });

async function call(fleet: ServerFleet, tool: string, args: object = {}, by?: Caller): Promise<string> {
  const lease = await fleet.acquire("s", by ? { caller: by } : {});
  try {
    const { content } = await lease.endpoint.invoke(tool, args, by ? { caller: by } : {});
    return String((content[0] as { readonly text?: unknown }).text);
  } finally {
    lease.release();
  }
}

verifies(
  "background:key",
  "everything that makes a process changes the key; the order of members and what a fleet does with the tools does not",
  () => {
    const config = row(scripted, { env: { A: "1" }, timeouts: { callMs: 5 } });
    const base = instanceKey(config, scopeOf());
    const { args: _args, ...rest } = config as ServerConfig & { readonly args: readonly string[] };
    const others = [
      instanceKey({ ...config, id: "t" }, scopeOf()),
      instanceKey({ ...rest, args: [live] } as ServerConfig, scopeOf()),
      instanceKey({ ...config, command: "/bin/sh" } as ServerConfig, scopeOf()),
      instanceKey({ ...config, env: { A: "2" } } as ServerConfig, scopeOf()),
      instanceKey({ ...config, cwd: "/" } as ServerConfig, scopeOf()),
      instanceKey({ ...config, timeouts: { callMs: 6 } }, scopeOf()),
      instanceKey({ ...config, share: "user" }, scopeOf()),
      instanceKey(config, scopeOf({}, { LANG: "x" })),
      instanceKey(config, scopeOf({ folder: "/elsewhere" })),
      instanceKey(config, scopeOf({ container: "another" })),
      instanceKey(config, scopeOf({ place: { ...scopeOf().place, umask: 0o077 } })),
      instanceKey({ ...config, ...{ unknownMember: 1 } }, scopeOf()),
    ];
    expect(new Set([base, ...others]).size).toBe(others.length + 1);
    const mine = {
      includeTools: ["a"],
      pin: "off",
      lazy: true,
      idleMs: 1,
      required: true,
      toolOverrides: {},
    } as const;
    fc.assert(
      fc.property(
        fc.shuffledSubarray(Object.entries({ ...config, ...mine }), { minLength: 12 }),
        (members) => {
          expect(instanceKey(Object.fromEntries(members) as unknown as ServerConfig, scopeOf())).toBe(base);
        },
      ),
    );
    const http = {
      kind: "streamable-http",
      id: "h",
      url: "http://localhost:1/",
      headers: { A: "1" },
    } as const;
    const keys = [
      instanceKey(http, scopeOf()),
      instanceKey({ ...http, headers: { A: "2" } }, scopeOf()),
      instanceKey(http, scopeOf({ credentials: "/other" })),
    ];
    expect(new Set(keys).size).toBe(3);
    // The same folder, whoever names it.
    const inRoot = scopeOf({ place: { ...scopeOf().place, cwd: "/" } });
    expect(instanceKey(config, inRoot)).toBe(instanceKey({ ...config, cwd: "/" } as ServerConfig, scopeOf()));
    // What the environment does not pass on to a child makes no difference.
    expect(instanceKey(config, scopeOf({}, { AWS_SECRET: "x" }))).toBe(base);
  },
);

verifies(
  "background:shares",
  "two fleets use one process under their own names and filters; it ends with the last of them",
  async () => {
    const pool = new InstancePool();
    const one = await fleetIn(pool, "one", row(scripted));
    const two = await fleetIn(
      pool,
      "two",
      row(scripted, { includeTools: ["pid"], toolOverrides: { pid: { name: "process" } } }),
    );
    const three = await fleetIn(pool, "three", row(scripted), scopeOf({}, { LANG: "other" }));
    try {
      const pids = await Promise.all([one, two, three].map((fleet) => call(fleet, "pid")));
      expect(pids[1]).toBe(pids[0]);
      expect(pids[2]).not.toBe(pids[0]);
      expect(two.catalogue("s").map(({ descriptor }) => descriptor.name)).toEqual(["s__process"]);
      expect(one.catalogue("s").length).toBeGreaterThan(5);
      expect(pool.instances().map(({ users }) => users)).toEqual([["one", "two"], ["three"]]);
      await one.tearDown();
      expect(await call(two, "pid")).toBe(pids[0]);
      await two.tearDown();
      expect(pool.instances()).toHaveLength(1);
    } finally {
      await Promise.all([one, two, three].map((fleet) => fleet.tearDown()));
    }
    expect(pool.instances()).toEqual([]);
  },
);

verifies(
  "background:recovers",
  "the process dies: both fleets go on with one new process; a restart is one for both",
  async () => {
    const pool = new InstancePool();
    const fleets = await Promise.all(["one", "two"].map((name) => fleetIn(pool, name, row(scripted))));
    const [one, two] = fleets as [ServerFleet, ServerFleet];
    try {
      const before = await call(one, "pid");
      await expect(call(one, "die")).rejects.toThrow(/ended the connection/);
      const after = await Promise.all(fleets.map((fleet) => call(fleet, "pid")));
      expect(after[0]).not.toBe(before);
      expect(after[1]).toBe(after[0]);
      await one.restart("s");
      const again = await Promise.all(fleets.map((fleet) => call(fleet, "pid")));
      expect(again[0]).not.toBe(after[0]);
      expect(again[1]).toBe(again[0]);
      expect(pool.instances()).toHaveLength(1);
      expect(two.status().get("s")?.phase).toBe("ready");
    } finally {
      await Promise.all(fleets.map((fleet) => fleet.tearDown()));
    }
  },
);

verifies(
  "background:apart",
  "subscriptions, log levels, log messages and questions of one fleet are not those of the other",
  async () => {
    const pool = new InstancePool();
    const fleets = await Promise.all(["one", "two"].map((name) => fleetIn(pool, name, row(live))));
    const [one, two] = fleets as [ServerFleet, ServerFleet];
    const updated: string[] = [];
    const logs: [string, FleetLog][] = [];
    for (const [name, fleet] of [
      ["one", one],
      ["two", two],
    ] as const) {
      fleet.onNotification(({ notification: { method, params } }) => {
        if (method.endsWith("resources/updated")) updated.push(`${name} ${String(params?.["uri"])}`);
      });
      fleet.onLog((log) => void logs.push([name, log]));
    }
    const answering = (key: string, asked: string[]): Caller =>
      caller(key, {
        can: { elicit: { form: true } },
        ask: async (questions) => {
          asked.push(key);
          const answer = { action: "accept", content: { name: key } };
          return Object.fromEntries(Object.keys(questions).map((name) => [name, answer]));
        },
      });
    const seen = async (): Promise<{ level: string; subscribes: string[]; unsubscribes: string[] }> =>
      JSON.parse(await call(one, "seen")) as { level: string; subscribes: string[]; unsubscribes: string[] };
    try {
      const asked: string[] = [];
      expect(await call(one, "elicit", {}, answering("a", asked))).toContain('"a"');
      expect(await call(two, "elicit", {}, answering("b", asked))).toContain('"b"');
      expect(asked).toEqual(["a", "b"]);
      const uri = "live://clock";
      const stopOne = await one.watchResource("s", uri);
      await call(two, "update", { uri });
      const stopTwo = await two.watchResource("s", uri);
      await stopTwo(); // The first one still watches.
      expect(await seen()).toMatchObject({ subscribes: [uri], unsubscribes: [] });
      await call(two, "update", { uri });
      expect(updated).toEqual([`one ${uri}`, `one ${uri}`]);
      await stopOne();
      expect((await seen()).unsubscribes).toEqual([uri]);
      // The most verbose level counts, whoever asked last.
      await one.setLogLevel("a", "info");
      await two.setLogLevel("b", "error");
      expect((await seen()).level).toBe("info");
      await call(one, "log", { data: "of a" }, caller("a", { log: () => {} }));
      await call(two, "log_later", { data: "of nobody knows whom" }, caller("b"));
      await new Promise((later) => setTimeout(later, 100));
      expect(logs.filter(([, { audience }]) => audience.kind !== "none")).toEqual([]);
    } finally {
      await Promise.all(fleets.map((fleet) => fleet.tearDown()));
    }
  },
);

import { chmod, copyFile, symlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import {
  type EndpointStatus,
  type FleetOptions,
  type ServerConfig,
  ServerFleetImpl,
  startServerFleet,
} from "indusagi/interop";
import { expect } from "vitest";
import { createStartMemory } from "../../../../src/interop/fleet/starts/start-plan.ts";
import { linesOf, rough, survivors } from "../rough.ts";

const many = (count: number, make: (n: number) => ServerConfig): ServerConfig[] =>
  Array.from({ length: count }, (_, n) => make(n));
const isReady = ({ phase }: EndpointStatus): boolean => phase === "ready";

/** A fleet, and how many servers were connecting at the same time at most. */
function counted(options: FleetOptions) {
  const fleet = new ServerFleetImpl({ supervision: false, ...options });
  const connecting = new Set<string>();
  const seen = { most: 0, states: [] as string[] };
  fleet.onStatus(({ server, phase, state }) => {
    seen.states.push(`${server} ${state ?? phase}`);
    if (phase === "connecting") connecting.add(server);
    else connecting.delete(server);
    seen.most = Math.max(seen.most, connecting.size);
  });
  return { fleet, seen };
}

verifies(
  "starts:cap",
  "eight mute servers do not keep eight healthy ones behind them from starting",
  async () => {
    const servers = [
      ...many(8, (n) => ({ ...rough(`mute${n}`, "--mute"), timeouts: { connectMs: 60_000 } })),
      ...many(8, (n) => rough(`good${n}`)),
    ];
    const { fleet, seen } = counted({ startConcurrency: 4, starts: { slotMs: 100, idleMs: Infinity } });
    void fleet.start({ servers });
    await expect
      .poll(() => [...fleet.status().values()].filter(isReady).length, { timeout: 30_000, interval: 20 })
      .toBe(8);
    const phases = [...fleet.status().values()].map(({ phase }) => phase);
    expect(phases).toEqual([...many(8, () => rough("")).map(() => "connecting"), ...phases.slice(8)]);
    expect(seen.states).toContain("good7 queued");
    await fleet.tearDown();
  },
);

verifies(
  "starts:idle",
  "mute servers that do nothing keep no slot, however long it is granted",
  async () => {
    const servers = [
      ...many(6, (n) => ({ ...rough(`mute${n}`, "--mute"), timeouts: { connectMs: 60_000 } })),
      ...many(3, (n) => rough(`good${n}`)),
    ];
    const { fleet } = counted({ startConcurrency: 2, starts: { slotMs: 600_000 } });
    void fleet.start({ servers });
    await expect
      .poll(() => [...fleet.status().values()].filter(isReady).length, { timeout: 50_000, interval: 20 })
      .toBe(3);
    await fleet.tearDown();
  },
  { only: ["linux"] },
);

verifies("starts:in-vain", "servers that were tried and never ready start after the others", async () => {
  const startHistory = createStartMemory();
  const mute = many(3, (n) => ({ ...rough(`mute${n}`, "--mute"), timeouts: { connectMs: 60_000 } }));
  const first = counted({ startConcurrency: 4, startHistory, starts: { idleMs: Infinity } });
  void first.fleet.start({ servers: mute });
  await expect.poll(() => mute.filter((row) => startHistory.wasTried?.(row)).length).toBe(3);
  await first.fleet.tearDown(); // Cut off: none of them has failed.
  const good = many(3, (n) => rough(`good${n}`));
  const { fleet, seen } = counted({ startConcurrency: 1, startHistory, starts: { idleMs: Infinity } });
  void fleet.start({ servers: [...mute, ...good] });
  const connecting = (): string[] => seen.states.filter((line) => line.endsWith("connecting"));
  await expect.poll(connecting, { timeout: 50_000 }).toHaveLength(4);
  expect(connecting()).toEqual([...good.map(({ id }) => `${id} connecting`), "mute0 connecting"]);
  await fleet.tearDown();
});

verifies("starts:cap", "no more processes than allowed are starting at a time", async () => {
  const { fleet, seen } = counted({ startConcurrency: 3, starts: { slotMs: 60_000, idleMs: Infinity } });
  await fleet.start({ servers: many(10, (n) => rough(`s${n}`)) });
  expect([...fleet.status().values()].filter(isReady)).toHaveLength(10);
  expect(seen.most).toBe(3);
  await fleet.tearDown();
});

verifies("starts:cap", "a limit below one is refused with its name", () => {
  expect(() => new ServerFleetImpl({ startConcurrency: 0 })).toThrow(
    "startConcurrency is 0; it must be at least 1",
  );
  expect(() => new ServerFleetImpl({ starts: { http: Number.NaN } })).toThrow("starts.http is NaN");
});

verifies(
  "starts:stop",
  "a stop while the queue is full ends everything, and nothing starts after it",
  async () => {
    await using dir = await tempDir();
    const log = dir.at("starts");
    const servers = many(20, (n) => rough(`s${n}`, "--starts", log, "--mute"));
    const { fleet } = counted({ startConcurrency: 2, starts: { slotMs: 60_000, idleMs: Infinity } });
    const started = fleet.start({ servers });
    await expect.poll(() => linesOf(log), { timeout: 30_000 }).toHaveLength(2);
    await Promise.all([fleet.tearDown(), started]);
    await sleep(300);
    expect(await linesOf(log)).toHaveLength(2);
    expect(await survivors(log)).toEqual([]);
  },
);

/** A launcher named `npx` that takes its time, in a folder of its own. */
async function fakeNpx(dir: { at(...parts: string[]): string }): Promise<string> {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  await copyFile(`${folder}fake-npx.mjs`, dir.at("npx"));
  await symlink(`${folder}../rough-server.mjs`, dir.at("rough-server.mjs"));
  await chmod(dir.at("npx"), 0o755);
  return dir.at("npx");
}

const posix = { only: ["linux", "darwin"] as const };

verifies(
  "starts:installs",
  "first starts that install run two at a time, one per package, and longer than the connect deadline",
  async () => {
    await using dir = await tempDir();
    const [log, command] = [dir.at("log"), await fakeNpx(dir)];
    const row = (id: string, name: string): ServerConfig => ({
      kind: "stdio",
      id,
      command,
      args: ["-y", name, "--log", log, "--takes", "400"],
    });
    const { fleet, seen } = counted({ startConcurrency: 12, timeouts: { connectMs: 200 } });
    const servers = [row("a", "one"), row("b", "one"), row("c", "two"), row("d", "three")];
    await fleet.start({ servers });
    expect([...fleet.status().values()].map(({ phase, summary }) => summary ?? phase)).toEqual(
      servers.map(() => "ready"),
    );
    expect(seen.states).toEqual(
      expect.arrayContaining(["a installing", "b queued", "c installing", "d queued"]),
    );
    const open: string[] = [];
    for (const line of await linesOf(log)) {
      if (line.startsWith("-")) open.splice(open.indexOf(line.slice(1)), 1);
      else open.push(line.slice(1));
      expect(open.length).toBeLessThanOrEqual(2);
      expect(new Set(open).size).toBe(open.length);
    }
    await fleet.tearDown();
  },
  posix,
);

verifies(
  "starts:installs",
  "the deadline of an installation is settable, and a server that was ready installs nothing",
  async () => {
    await using dir = await tempDir();
    const command = await fakeNpx(dir);
    const args = (ms: number): string[] => ["-y", "one", "--log", dir.at("log"), "--takes", String(ms)];
    const slow: ServerConfig = { kind: "stdio", id: "slow", command, args: args(60_000) };
    const limited = { ...slow, id: "limited", timeouts: { connectMs: 150 } };
    const fleet = await startServerFleet(
      { servers: [slow] },
      { supervision: false, starts: { installMs: 300 }, timeouts: { connectMs: 10 } },
    );
    expect(fleet.status().get("slow")?.summary).toContain("did not connect within 300 ms");
    await fleet.addServer(limited); // The row's own limit.
    expect(fleet.status().get("limited")?.summary).toContain("did not connect within 150 ms");
    await fleet.tearDown();

    const startHistory = { readyMs: () => 500, recordReady: () => {} };
    const known = counted({ startHistory });
    await known.fleet.start({ servers: [{ ...slow, args: args(0) }] });
    expect(known.seen.states).toEqual(["slow connecting", "slow ready", "slow ready"]);
    await known.fleet.tearDown();
  },
  posix,
);

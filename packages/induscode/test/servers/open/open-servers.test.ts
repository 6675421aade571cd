import { type TempDir, tempDir, verifies } from "@indus/testkit";
import type { ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { openRun, type Run } from "../../../src/boot/internal.ts";
import { findServers, openServers } from "../../../src/servers/internal.ts";
import type { ServerMemory } from "../../../src/servers/memory/index.ts";
import type { OpenServers } from "../../../src/servers/open/index.ts";
import { mountServers } from "../../../src/servers/open/mount-servers.ts";
import { eventually, writeConfig } from "../../bin/run-indus.ts";
import { gatedRow } from "../../bin/scripted-client.ts";

/** A run in a folder of its own, and the servers of a configuration file. */
async function openIn(
  dir: TempDir,
  rows: object,
  options: Partial<Parameters<typeof openServers>[1]> = {},
): Promise<{ readonly run: Run; readonly servers: OpenServers; readonly reports: string[] }> {
  const reports: string[] = [];
  const terminal = { out: () => {}, err: (text: string) => void reports.push(text) };
  const { signal } = new AbortController();
  const env = { XDG_STATE_HOME: dir.at("state") };
  const run = await openRun({ terminal, signal, cwd: dir.path, env });
  const file = await writeConfig(dir.at("servers.json"), rows);
  const found = await findServers(run, { mcp: [file], run: [] });
  if (!found) throw new Error(reports.join(""));
  return { run, servers: await openServers(run, { servers: found.configs, ...options }), reports };
}

verifies(
  "catalogue:listing",
  "a run remembers everything that a server offers, for the next run",
  async () => {
    await using dir = await tempDir();
    {
      const { run, servers } = await openIn(dir, {
        s: { ...gatedRow("--count", "2"), excludeTools: ["t0"] },
      });
      await using _run = run;
      await servers.settled;
      const memory = await run.state.memory();
      const config = servers.fleet.endpoint("s")?.config;
      await eventually(() => (config && memory?.entry(config)?.listing?.resources?.length) || undefined);
    }
    const { run, servers, reports } = await openIn(dir, { renamed: gatedRow("--count", "2") });
    await using _run = run;
    const config = servers.fleet.endpoint("renamed")?.config;
    const entry = config && (await run.state.memory())?.entry(config);
    expect(entry).toMatchObject({
      failures: 0,
      listing: {
        tools: [{ name: "t0" }, { name: "t1" }], // Also those that the row excludes.
        prompts: [{ name: "greet" }],
        resources: [{ name: "a" }, { name: "b" }],
        templates: [],
        instructions: "Wait for the gate.",
        capabilities: { prompts: {} },
      },
    });
    expect(entry?.readyMs).toBeGreaterThan(0);
    expect(reports).toEqual([]);
  },
);

verifies(
  "catalogue:not-known",
  "lists that were not read before their server ended are not known; a list without items is",
  async () => {
    await using dir = await tempDir();
    const quitting = { s: gatedRow("--quit-at", "prompts/list"), t: gatedRow() };
    {
      const { run, servers } = await openIn(dir, quitting);
      await using _run = run;
      await servers.settled;
      const memory = await run.state.memory();
      const isListed = (server: ServerConfig): boolean => memory?.entry(server)?.listing !== undefined;
      const hasLists = (server: ServerConfig): boolean =>
        memory?.entry(server)?.listing?.templates !== undefined;
      const [s, t] = servers.configs();
      if (!s || !t) throw new Error("there are no rows");
      await eventually(() => (isListed(s) && hasLists(t)) || undefined);
    }
    const { run, servers } = await openIn(dir, quitting, {
      supervision: { lazy: true },
      offerLastKnown: true,
    });
    await using _run = run;
    await servers.begun;
    expect(servers.box.descriptors().map(({ name }) => name)).toEqual(["s__t0", "t__t0"]);
    for (const kind of ["prompts", "resources", "templates"] as const)
      expect(servers.lastKnownItems("s", kind)).toBeUndefined();
    expect(servers.lastKnownItems("t", "templates")).toEqual({ server: "t", items: [] });
    expect(servers.lastKnownItems("t", "prompts")).toMatchObject({ items: [{ name: "greet" }] });
  },
);

verifies(
  "catalogue:required",
  "a required server that was ready counts as down when it is given up",
  async () => {
    await using dir = await tempDir();
    const rows = { s: { ...gatedRow(), required: true }, t: gatedRow() };
    // With a breaker that opens at the first failure.
    const { run, servers } = await openIn(dir, rows, { supervision: { breaker: { failures: 1 } } });
    await using _run = run;
    await servers.settled;
    let down: string | undefined;
    void servers.requiredDown.then((id) => (down = id));
    const pidOf = (id: string): number =>
      Number(servers.fleet.endpoint(id)?.session().serverInfo.version ?? Number.NaN);
    process.kill(pidOf("t"));
    await eventually(() => servers.fleet.status().get("t")?.state === "tripped" || undefined);
    expect(down).toBeUndefined();
    process.kill(pidOf("s"));
    await eventually(() => down);
    expect(down).toBe("s");
  },
);

verifies("catalogue:required", "a required server that is restarted is not down", async () => {
  await using dir = await tempDir();
  const rows = { s: { ...gatedRow(), required: true } };
  const { run, servers } = await openIn(dir, rows, { supervision: { firstDelayMs: 1 } });
  await using _run = run;
  await servers.settled;
  let isDown = false;
  void servers.requiredDown.then(() => (isDown = true));
  process.kill(Number(servers.fleet.endpoint("s")?.session().serverInfo.version));
  await eventually(() => {
    const { phase, restarts } = servers.fleet.status().get("s") ?? {};
    return (phase === "ready" && restarts === 1) || undefined;
  });
  expect(isDown).toBe(false);
});

/** A memory that takes a while to read each server. */
function slowMemory(readMs: number): ServerMemory & { readonly read: ReadonlySet<string> } {
  const read = new Set<string>();
  const listing = { tools: [{ name: "t", inputSchema: { type: "object" } }], capabilities: {} };
  return {
    read,
    head: ({ id }) => ({ server: id, failures: 0 }),
    entry: ({ id }) => {
      const untilMs = performance.now() + (read.has(id) ? 0 : readMs);
      while (performance.now() < untilMs);
      read.add(id);
      return { server: id, failures: 0, listing };
    },
    startHistory: { readyMs: () => 1, recordReady: () => {} },
    listsFor: () => undefined,
    remember: async () => undefined,
  };
}

const idle = Array.from(
  { length: 12 },
  (_, at) => ({ kind: "stdio", id: `s${at}`, command: "none" }) as const,
);

verifies(
  "catalogue:slices",
  "reading the last run gives other work its turn, and the box changes once",
  async () => {
    const memory = slowMemory(6);
    const options = { servers: idle, memory, offerLastKnown: true, supervision: { lazy: true } };
    await using servers = await mountServers(options);
    let changes = 0;
    servers.box.onChange(() => changes++);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (memory.read.size < idle.length) setImmediate(count);
    };
    setImmediate(count);
    await servers.begun;
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(servers.box.descriptors()).toHaveLength(12);
    expect(changes).toBe(1);
  },
);

verifies("catalogue:slices", "what is closed while it reads the last run starts nothing", async () => {
  const servers = await mountServers({ servers: idle, memory: slowMemory(6), offerLastKnown: true });
  await servers[Symbol.asyncDispose]();
  await servers.begun;
  expect(servers.fleet.endpoints()).toEqual([]);
});

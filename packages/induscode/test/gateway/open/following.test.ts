import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import type { ServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { findServers, watchServers } from "../../../src/servers/internal.ts";
import { untilGone } from "../../bin/run-indus.ts";
import { connectTo, names, type Served, serveFound, serveIn } from "./serve-in.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/gated.mjs", import.meta.url));

/** A server that appends its process id to a file when it starts. */
function countedRow(starts: string, count = 1): object {
  const note = `process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(starts)}, process.pid + "\\n")`;
  const args = [
    "--import",
    `data:text/javascript,${encodeURIComponent(note)}`,
    script,
    "--count",
    String(count),
  ];
  return { command: process.execPath, args };
}

async function pidsIn(file: string): Promise<number[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter(Boolean).map(Number);
}

/** A gateway that follows the user's file and that of the project. */
async function serveFollowing(dir: TempDir): Promise<Served> {
  const sources = { mcp: [], run: [] };
  return serveFound(dir, async (run) => {
    const watched = await watchServers(run, sources, { everyMs: 25 });
    if (!watched) throw new Error("nothing was found");
    const { configs, profiles } = watched.found;
    return {
      servers: configs,
      profiles,
      profile: "none",
      onOpen: (gateway) =>
        watched.follow(({ configs: rows, ...found }) => void gateway.apply({ ...found, servers: rows })),
    };
  });
}

const SLOW = { timeout: 30_000 };

verifies(
  "watch:rows",
  "a row that is added, changed or removed touches only its server, and clients and routes follow",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("home/.config/indusvx/mcp.json");
    await mkdir(dirname(file), { recursive: true });
    const write = (servers: object, more: object = {}): Promise<void> =>
      writeFile(file, JSON.stringify({ servers, ...more }));
    const starts = (id: string): string => dir.at(`${id}.starts`);
    const row = (id: string, count?: number): object => countedRow(starts(id), count);
    const [a, b] = [row("a"), row("b")];
    await write({ a, b });
    await using served = await serveFollowing(dir);
    const client = await connectTo(served.url);
    let changes = 0;
    client.onToolsChanged(() => (changes += 1));
    const offered = (...tools: string[]): Promise<void> =>
      expect.poll(() => names(client), SLOW).toEqual(tools);
    await offered("a__t0", "b__t0");

    await write({ a, b, c: row("c") }, { profiles: { few: { servers: ["c"] } } });
    await offered("a__t0", "b__t0", "c__t0");
    for (const route of ["c", "p/few"]) {
      const there = await connectTo(`${served.url}/${route}`);
      expect(await names(there)).toEqual([route === "c" ? "t0" : "c__t0"]);
      await there.close();
    }
    await write({ a, b, c: row("c", 2) });
    await offered("a__t0", "b__t0", "c__t0", "c__t1");
    expect(await pidsIn(starts("c"))).toHaveLength(2);
    await write({ a, c: row("c", 2) });
    await offered("a__t0", "c__t0", "c__t1");
    await untilGone(await pidsIn(starts("b")));
    expect(changes).toBeGreaterThanOrEqual(3);

    // A hundred changes in about a second: what is there at the end is used, and nothing else runs.
    for (let n = 1; n <= 100; n++) {
      // Most of them start nothing: the others show that each process ends.
      await write({ a, d: { ...row("d", n), enabled: n % 25 === 0 } });
      await pause(8);
    }
    await expect.poll(async () => (await names(client)).length, SLOW).toBe(101);
    const pids = await pidsIn(starts("d"));
    expect(pids.length).toBeLessThanOrEqual(4);
    await untilGone(pids.slice(0, -1));
    expect(await pidsIn(starts("a"))).toHaveLength(1);
    await client.close();
    expect(served.reports.join("")).toContain("the configuration changed: added d; removed c");
  },
  { timeoutMs: 90_000 },
);

verifies(
  "watch:broken",
  "a broken file keeps the last good state with one line, and a removed one removes its servers",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("home/.config/indusvx/mcp.json");
    await mkdir(dirname(file), { recursive: true });
    const row = countedRow(dir.at("starts"));
    const good = JSON.stringify({ servers: { a: row } });
    await writeFile(file, good);
    await using served = await serveFollowing(dir);
    const client = await connectTo(served.url);
    const hasTools = (...tools: string[]): Promise<void> =>
      expect.poll(() => names(client), SLOW).toEqual(tools);
    await hasTools("a__t0");
    const broken = (): number =>
      served.reports.join("").split("its last good content stays in use").length - 1;
    await writeFile(file, good.slice(0, -5));
    await expect.poll(broken, SLOW).toBe(1);
    // A change elsewhere reads everything again: the line is not repeated, and the good part of it is used.
    await approveLater(dir, served, client);
    expect(broken()).toBe(1);
    expect(await names(client)).toContain("a__t0");
    await writeFile(file, JSON.stringify({ servers: {} }));
    await hasTools("theirs__t0");
    expect(await pidsIn(dir.at("starts"))).toHaveLength(1);
    await client.close();
  },
  { timeoutMs: 90_000 },
);

verifies(
  "watch:row",
  "a row that becomes unusable keeps its last good form with one line, and the status names it until it is corrected",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("home/.config/indusvx/mcp.json");
    await mkdir(dirname(file), { recursive: true });
    const write = (servers: object, profile = "few"): Promise<void> =>
      writeFile(file, JSON.stringify({ servers, profiles: { [profile]: { servers: ["nowhere"] } } }));
    const a = { ...countedRow(dir.at("a.starts")), required: true };
    const b = countedRow(dir.at("b.starts"));
    await write({ a, b });
    await using served = await serveFollowing(dir);
    const client = await connectTo(served.url);
    const offered = (...tools: string[]): Promise<void> =>
      expect.poll(() => names(client), SLOW).toEqual(tools);
    await offered("a__t0", "b__t0");
    const lines = (word = '"a"'): string[] =>
      served.reports
        .join("")
        .split("\n")
        .filter((line) => line.includes(word));
    // The other rows of the file are used as they are now.
    await write({ a: { ...a, args: "no list" }, b: { ...b, enabled: false } });
    await offered("a__t0", "indus__status");
    const reason =
      'server "a": "args" is not a list; write it as ["…", "…"]. Its last good form stays in use';
    expect((await client.invoke("indus__status", {})).structuredContent).toEqual({
      servers: [
        {
          server: "a",
          state: "misconfigured",
          reason,
          command: expect.stringMatching(/^indus mcp doctor --cwd /),
        },
      ],
    });
    // The same mistake after another change: no further line.
    await write({ a: { ...a, args: "still no list" } }, "other");
    await expect.poll(() => lines('profile "other"'), SLOW).toHaveLength(1);
    expect(lines()).toEqual([expect.stringContaining(`mcp.json:1: error: ${reason}`)]);
    await write({ a });
    await offered("a__t0");
    expect(await pidsIn(dir.at("a.starts"))).toHaveLength(1);
    // A row that is removed is not kept, whatever it is when it comes back.
    await write({});
    await offered();
    await write({ a: { command: 5 } });
    await expect.poll(() => lines().at(-1), SLOW).toContain("The row is dropped");
    expect(await names(client)).toEqual([]);
    await client.close();
  },
  { timeoutMs: 90_000 },
);

/** Adds a row to the project's file, which waits, and approves it. */
async function approveLater(dir: TempDir, served: Served, client: ServerEndpoint): Promise<void> {
  const project = dir.at(".indusvx/mcp.json");
  await mkdir(dirname(project), { recursive: true });
  await writeFile(project, JSON.stringify({ servers: { theirs: countedRow(dir.at("theirs.starts")) } }));
  const told = (): boolean => /server "theirs".*(approve|trust)/.test(served.reports.join(""));
  await expect.poll(told, SLOW).toBe(true);
  expect(served.gateway.servers.fleet.status().get("theirs")?.state).toBe("untrusted");
  expect(await pidsIn(dir.at("theirs.starts"))).toEqual([]);
  const found = await findServers(served.run, { mcp: [], run: [] }, { report: () => {} });
  const launch = found?.servers.find(({ config }) => config.id === "theirs")?.launch;
  const store = await served.run.state.trustOf(served.run.cwd);
  store?.approve("theirs", launch ?? "");
  await expect.poll(() => names(client), SLOW).toContain("theirs__t0");
}

verifies(
  "watch:trust",
  "a new row of a project waits for its approval, is reported, and then starts",
  async () => {
    await using dir = await tempDir();
    await using served = await serveFollowing(dir);
    const client = await connectTo(served.url);
    expect(await names(client)).toEqual([]);
    await approveLater(dir, served, client);
    await client.close();
  },
);

verifies(
  "trust:members",
  "a running gateway stops offering an approved row of a project when it is changed, says so once, and offers it again as approved",
  async () => {
    await using dir = await tempDir();
    await using served = await serveFollowing(dir);
    const client = await connectTo(served.url);
    await approveLater(dir, served, client);
    const file = dir.at(".indusvx/mcp.json");
    const approved = await readFile(file, "utf8");
    const { servers } = JSON.parse(approved) as { readonly servers: { readonly theirs: object } };
    const changed = {
      ...servers.theirs,
      toolOverrides: { t0: { name: "t1", description: "Call it first." } },
    };
    const offered = (...tools: string[]): Promise<void> =>
      expect.poll(() => names(client), SLOW).toEqual(tools);
    await writeFile(file, JSON.stringify({ servers: { theirs: changed } }));
    await offered("indus__status");
    await expect(client.invoke("theirs__t1", {})).rejects.toThrow("there is no tool named");
    expect(served.gateway.servers.fleet.status().get("theirs")?.state).toBe("untrusted");
    await untilGone(await pidsIn(dir.at("theirs.starts")));
    await writeFile(file, approved);
    await offered("theirs__t0");
    const lines = served.reports.join("").split("\n");
    expect(lines.filter((line) => line.includes("toolOverrides"))).toEqual([
      expect.stringContaining(
        '"theirs" waits for approval again: toolOverrides has changed since it was approved',
      ),
    ]);
    await client.close();
  },
  { timeoutMs: 90_000 },
);

verifies("watch:protected", "a client that may write everything cannot add a server by itself", async () => {
  await using dir = await tempDir();
  const file = dir.at("servers.json");
  await writeFile(file, '{ "servers": {} }');
  await symlink(file, dir.at("link.json"));
  const policy = { mode: "bypass", allow: ["write(*)"], deny: [] } as const;
  await using served = await serveIn(dir, { profile: "full", policy, protect: [dir.at("link.json")] }, []);
  const client = await connectTo(served.url, { token: served.token });
  const write = (path: string): ReturnType<ServerEndpoint["invoke"]> =>
    client.invoke("write", { path, content: '{ "servers": { "x": { "command": "x" } } }' });
  expect(await write("other.json")).toMatchObject({ isError: false });
  for (const path of ["servers.json", "link.json"])
    expect(await write(path), path).toMatchObject({ isError: true });
  expect(await readFile(file, "utf8")).toBe('{ "servers": {} }');
  await client.close();
});

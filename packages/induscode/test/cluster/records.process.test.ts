import { natsServer, type TempDir, tempDir, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { serveLogin } from "../../../../test/servers/login.mjs";
import { eventually, scriptedRow, startIndus } from "../bin/run-indus.ts";
import { type StartedCluster, startCluster } from "./started-cluster.ts";

type LoginServer = Awaited<ReturnType<typeof serveLogin>>;

// One cluster for all of these tests, which run in order: processes are slow to start.

const options = { when: natsServer !== undefined, timeoutMs: 120_000 } as const;

let dir: TempDir;
let cluster: StartedCluster;
let login: LoginServer;

beforeAll(async () => {
  if (!options.when) return;
  dir = await tempDir();
  login = await serveLogin();
  cluster = await startCluster(dir, {
    rows: { asking: scriptedRow(), notes: { url: login.url } },
    gateways: ["g1", "g2"],
    workers: ["w1"],
    // A killed worker counts as alive for that long.
    leaseS: 8,
  });
}, 180_000);

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await login?.close();
  await dir?.[Symbol.asyncDispose]();
}, 120_000);

interface HistoryEvent {
  readonly op: string;
  readonly server: string;
  readonly tool: string;
  readonly segment: string;
}

async function events(): Promise<readonly HistoryEvent[]> {
  const { out } = await cluster.indus("mcp", "history", "asking", "--json");
  const { damaged, events: found } = JSON.parse(out) as {
    readonly damaged: readonly unknown[];
    readonly events: readonly HistoryEvent[];
  };
  expect(damaged).toEqual([]);
  return found;
}

const runs = (found: readonly HistoryEvent[]): number => new Set(found.map(({ segment }) => segment)).size;

/** The ledger once its server has listed its tools to that many owners. */
async function eventsOf(owners: number): Promise<readonly HistoryEvent[]> {
  for (const untilMs = performance.now() + 30_000; ; ) {
    const found = await events();
    if (runs(found) >= owners || performance.now() > untilMs) {
      const said = [...cluster.nodes].map(([name, node]) => `${name}: ${node.err()}`).join("\n");
      expect(runs(found), said).toBe(owners);
      return found;
    }
  }
}

verifies(
  "cluster:history",
  "the ledger has what each owner of a server saw, and neither a drained nor a killed worker takes a tool out of it",
  async () => {
    for (const gateway of [0, 1])
      expect((await cluster.call(gateway, "asking__echo", { text: "here" })).text).toContain("here");
    const first = await eventsOf(1);
    const tools = first.map(({ tool }) => tool);
    expect(tools).toContain("echo");
    expect(new Set(tools).size).toBe(tools.length);
    await cluster.start("w2", "worker");
    expect((await cluster.indus("cluster", "drain", "w1")).code).toBe(0);
    expect((await cluster.call(0, "asking__echo", { text: "moved" })).text).toContain("moved");
    await eventsOf(2);
    await cluster.start("w3", "worker");
    cluster.nodes.get("w2")?.child.kill("SIGKILL");
    await cluster.nodes.get("w2")?.ended;
    await eventually(async () =>
      (await cluster.call(1, "asking__echo", { text: "again" })).text.includes("again") ? true : undefined,
    );
    const all = await eventsOf(3);
    expect(all.filter(({ op }) => op !== "enroll")).toEqual([]);
    const { out } = await cluster.indus("mcp", "explain", "asking__echo");
    expect(out).toContain(`echo of server "asking" is here since`);
    expect((await cluster.indus("mcp", "explain", "asking__eco")).err).toContain("asking__echo");
    const segment = first[0]?.segment ?? "";
    expect((await cluster.indus("mcp", "diff", segment)).out).toBe("no recorded difference\n");
  },
  options,
);

verifies(
  "cluster:audit",
  "the trail has the calls of both gateways once each, with the filters of one machine, and neither contents nor tokens",
  async () => {
    await cluster.call(0, "asking__echo", { text: "a secret" });
    await cluster.call(1, "asking__no_such", {});
    const audit = async (...args: string[]): Promise<readonly Record<string, unknown>[]> => {
      const { out } = await cluster.indus("audit", "--json", ...args);
      const lines = out.split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    const all = await eventually(async () => {
      const found = await audit();
      return found.some(({ outcome }) => outcome === "unknown") ? found : undefined;
    });
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(2);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(await audit("--outcome", "unknown")).toMatchObject([
      { tool: "asking__no_such", principal: "alice" },
    ]);
    expect(await audit("--lines", "1")).toHaveLength(1);
    expect(await audit("--principal", "nobody")).toEqual([]);
    expect((await cluster.indus("audit", "--since", "1h", "--tool", "asking__echo")).out).toContain("alice");
    const text = JSON.stringify(all);
    expect(text).not.toContain("a secret");
    expect(text).not.toContain(cluster.token);
  },
  options,
);

verifies(
  "cluster:logins",
  "a login that an admin made is used by a worker with the key file, and ends with mcp logout",
  async () => {
    const key = ["--key-file", dir.at("key")];
    const withoutKey = await cluster.indus("mcp", "login", "notes");
    expect(withoutKey.err).toContain("--key-file");
    expect(withoutKey.code).not.toBe(0);
    await cluster.indus("cluster", "drain", "w3");
    await cluster.start("w4", "worker", ...key);
    for (const name of ["g1", "g2"])
      await eventually(() =>
        /"notes" needs login: .* indus mcp login notes --cluster URLS --key-file FILE$/m.test(
          cluster.nodes.get(name)?.err() ?? "",
        )
          ? true
          : undefined,
      );
    const place = ["--cluster", cluster.nats.url, ...key];
    using command = startIndus(["mcp", "login", "notes", "--no-browser", ...place], { cwd: dir.path });
    const address = await eventually(() => /^ {2}(http\S+)$/m.exec(command.err())?.[1], 60_000);
    expect((await fetch(address)).status).toBe(200);
    expect(await command.ended).toBe(0);
    expect(command.out()).toContain('server "notes": logged in');
    for (const gateway of [0, 1])
      await eventually(async () =>
        (await cluster.call(gateway, "notes__echo", { text: "logged in" })).text.includes('"logged in"')
          ? true
          : undefined,
      );
    // A server without a login has no tools and instructions of its own, so none of them changed.
    for (const name of ["g1", "g2"]) {
      const said = cluster.nodes.get(name)?.err() ?? "";
      expect(said).not.toMatch(/changed|notes ready \(0 tools\)/);
    }
    expect((await cluster.indus("mcp", "logout", "notes", ...key)).out).toBe(
      'logged out of server "notes"\n',
    );
    expect((await cluster.indus("mcp", "logout", "notes", ...key)).out).toContain("there was no login");
    expect([...cluster.nodes.values()].map((node) => node.err()).join("\n")).not.toContain("canary");
  },
  options,
);

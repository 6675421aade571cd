import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort, natsServer, startNats, type TempDir, tempDir, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { modernRequest, type RawAnswer, send } from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { Stream } from "../../src/cluster/contract.ts";
import {
  eventually,
  type Indus,
  runIndus,
  scriptedRow,
  startedPids,
  startIndus,
  untilGone,
  writeConfig,
} from "../bin/run-indus.ts";
import { roughRow } from "../gateway/serving-gateway.ts";

// One cluster for all of these tests, which run in order: processes are slow to start.

const START_MS = 60_000;
const options = { when: natsServer !== undefined, timeoutMs: 120_000 } as const;

const hintedServer = fileURLToPath(new URL("../../../../test/servers/hinted.mjs", import.meta.url));

let dir: TempDir;
let nats: Awaited<ReturnType<typeof startNats>>;
let token = "";
const urls: string[] = [];
const running = new Map<string, Indus>();

const cluster = (): readonly string[] => ["--cluster", nats.url];

async function indus(
  ...args: string[]
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  // What follows `--` is the command of a server.
  const end = args.indexOf("--");
  const own = end === -1 ? args.length : end;
  return runIndus([...args.slice(0, own), ...cluster(), ...args.slice(own)], { cwd: dir.path });
}

/** Starts a node and waits until it is part of the cluster. */
async function startNode(name: string, ...args: string[]): Promise<Indus> {
  const node = startIndus([...args, ...cluster(), "--name", name], { cwd: dir.path });
  running.set(name, node);
  await eventually(() => {
    if (node.child.exitCode !== null) throw new Error(`${name} has ended: ${node.err()}`);
    return /^(http:\S+|worker \S+ is ready)/m.exec(node.out())?.[0];
  }, START_MS);
  return node;
}

/** The worker that owns a server. */
async function ownerOf(server: string): Promise<string> {
  return eventually(async () => {
    const { out } = await indus("cluster", "status", "--json");
    const { servers } = JSON.parse(out) as {
      readonly servers: readonly { readonly server: string; readonly worker: string | null }[];
    };
    return servers.find((each) => each.server === server)?.worker ?? undefined;
  }, START_MS);
}

function call(gateway: number, name: string, params: object = {}, bearer = token): Promise<RawAnswer> {
  const request = modernRequest(1, "tools/call", { name, arguments: {}, ...params });
  return send(urls[gateway] ?? "", {
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${bearer}` },
  });
}

const resultOf = (answer: RawAnswer): Record<string, unknown> =>
  (answer.messages[0]?.result ?? {}) as Record<string, unknown>;

beforeAll(async () => {
  if (!options.when) return;
  dir = await tempDir();
  nats = await startNats(dir.at("nats"));
  const before = await indus("cluster", "status");
  expect(before.err).toContain("indus cluster init");
  expect((await indus("cluster", "init", "--lease", "8")).code).toBe(0);
  const rows = await writeConfig(dir.at("servers.json"), {
    rough: roughRow("--starts", dir.at("starts"), "--count", dir.at("counts")),
    asking: scriptedRow(),
    hinted: { command: process.execPath, args: [hintedServer, "{}"] },
  });
  expect((await indus("cluster", "apply", rows)).out).toContain("3 servers");
  token = (await indus("token", "add", "alice")).out.trim();
  const serve = ["serve", "--port", "0", "--require-token"];
  const key = dir.at("key");
  await writeConfig(key, { any: { command: "text that is long enough for a key" } });
  await startNode("w1", "worker");
  const gateways = await Promise.all(
    ["g1", "g2"].map((name) => startNode(name, ...serve, "--key-file", key)),
  );
  urls.push(...gateways.map((gateway) => /^http:\S+/m.exec(gateway.out())?.[0] ?? ""));
}, 180_000);

afterAll(async () => {
  for (const node of running.values()) node.child.kill("SIGTERM");
  await Promise.all([...running.values()].map((node) => node.ended));
  await nats?.[Symbol.asyncDispose]();
  await dir?.[Symbol.asyncDispose]();
}, 120_000);

verifies(
  "cluster:calls",
  "both gateways call one process of a server, which their worker started",
  async () => {
    for (const gateway of [0, 1]) {
      const answer = await call(gateway, "rough__echo", { arguments: { text: `from ${gateway}` } });
      expect(answer.text).toContain(`"from ${gateway}"`);
    }
    const large = "x".repeat(3_000_000);
    expect((await call(0, "rough__echo", { arguments: { text: large } })).text).toContain(large);
    expect(await startedPids(dir.at("starts"), 1)).toHaveLength(1);
    expect(await ownerOf("rough")).toBe("w1");
  },
  options,
);

verifies(
  "cluster:questions",
  "a question asked at one gateway is answered at the other",
  async () => {
    const asked = resultOf(await call(0, "asking__ask"));
    expect(asked["resultType"]).toBe("input_required");
    const [key = ""] = Object.keys(asked["inputRequests"] as object);
    const inputResponses = { [key]: { action: "accept", content: { name: "Ada" } } };
    const again = { requestState: asked["requestState"], inputResponses };
    const answered = await call(1, "asking__ask", again);
    expect(answered.text).toContain("Ada");
    expect(resultOf(answered)["isError"]).not.toBe(true);
  },
  options,
);

verifies(
  "cluster:questions",
  "a question about a resource is answered at the other gateway, too",
  async () => {
    const read = (gateway: number, more: object = {}): Promise<RawAnswer> => {
      const request = modernRequest(1, "resources/read", { uri: "hinted://asks", ...more });
      return send(`${urls[gateway]}/hinted`, {
        ...request,
        headers: { ...request.headers, "mcp-name": "hinted://asks", authorization: `Bearer ${token}` },
      });
    };
    const asked = resultOf(await read(0));
    expect(Object.keys(asked["inputRequests"] as object)).toEqual(["sure"]);
    const answered = await read(1, {
      requestState: asked["requestState"],
      inputResponses: { sure: { action: "accept", content: {} } },
    });
    expect(answered.text).toContain("read hinted://asks");
  },
  options,
);

verifies(
  "cluster:drain",
  "calls at both gateways go on while their worker is drained",
  async () => {
    const port = await freePort();
    await startNode("w2", "worker", "--health", String(port));
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([ready.status, (await fetch(`http://127.0.0.1:${port}/healthz`)).status]).toEqual([200, 200]);
    const over = new AbortController();
    let calls = 0;
    const failures: string[] = [];
    const callAlways = async (gateway: number): Promise<void> => {
      while (!over.signal.aborted) {
        const answer = await call(gateway, "rough__echo", { arguments: { text: "on" } });
        calls += 1;
        if (answer.status !== 200 || !answer.text.includes('"on"')) failures.push(answer.text);
      }
    };
    const calling = [callAlways(0), callAlways(1), callAlways(1)];
    const drained = await indus("cluster", "drain", "w1");
    expect(drained.out).toContain("owns no server");
    const before = calls;
    await eventually(() => (calls > before + 10 ? true : undefined), START_MS);
    over.abort();
    await Promise.all(calling);
    expect(failures).toEqual([]);
    expect(await ownerOf("rough")).toBe("w2");
    expect(await startedPids(dir.at("starts"), 2)).toHaveLength(2);
  },
  options,
);

verifies(
  "cluster:killed",
  "a killed worker's server starts elsewhere after it has ended, and the call under way may have run",
  async () => {
    await startNode("w3", "worker");
    const pids = await startedPids(dir.at("starts"), 2);
    const waiting = call(0, "rough__count", { arguments: { key: "once", waitMs: 60_000 } });
    await eventually(async () =>
      (await readFile(dir.at("counts"), "utf8").catch(() => "")).includes("once") ? true : undefined,
    );
    running.get("w2")?.child.kill("SIGKILL");
    const lost = await waiting;
    expect(lost.text).toContain("may have run");
    expect(resultOf(lost)["isError"]).toBe(true);
    const next = await call(1, "rough__echo", { arguments: { text: "here again" } });
    expect(next.text).toContain("here again");
    await untilGone(pids);
    expect(await readFile(dir.at("counts"), "utf8")).toBe("once\n");
    expect(await ownerOf("rough")).toBe("w3");
  },
  options,
);

verifies(
  "cluster:approvals",
  "a relative path needs no approval, and a protected name is asked about once",
  async () => {
    const plain = await call(0, "rough__count", { arguments: { key: "notes/plan.txt" } });
    expect(plain.text).toContain("notes/plan.txt");
    expect(resultOf(plain)["resultType"]).not.toBe("input_required");
    const held = { arguments: { key: ".ssh/config" } };
    const asked = resultOf(await call(0, "rough__count", held));
    const [key = ""] = Object.keys(asked["inputRequests"] as object);
    const inputResponses = { [key]: { action: "accept", content: { answer: "allow once" } } };
    const answered = await call(0, "rough__count", {
      ...held,
      requestState: asked["requestState"],
      inputResponses,
    });
    expect(answered.text).toContain(".ssh/config");
    expect(resultOf(answered)["resultType"]).not.toBe("input_required");
  },
  options,
);

verifies(
  "cluster:fenced",
  "a living worker that is forgotten ends its servers and exits",
  async () => {
    const pids = await startedPids(dir.at("starts"), 3);
    expect((await indus("cluster", "forget", "w3")).code).toBe(0);
    const worker = running.get("w3");
    expect(await worker?.ended).toBe(1);
    expect(worker?.err()).toContain("its servers are ended");
    await untilGone(pids);
  },
  options,
);

verifies(
  "cluster:check",
  "cluster check names what is wrong, and cluster drain a worker that does not exist",
  async () => {
    await eventually(async () => {
      const { out } = await indus("cluster", "check", "--monitor", nats.monitor, "--json");
      const { findings } = JSON.parse(out) as {
        readonly findings: readonly { readonly level: string; readonly message: string }[];
      };
      const texts = findings.map(({ level, message }) => `${level}: ${message}`).join("\n");
      expect(texts).toContain("flushes every write");
      expect(texts).toContain("may write configuration and tokens");
      return texts.includes("ok: workers: 1") ? true : undefined;
    }, START_MS);
    expect((await indus("cluster", "drain", "nobody")).err).toContain("the workers are w1");
    await using lazy = await startNats(dir.at("lazy"), { flushes: false });
    const refused = await runIndus([
      ...["cluster", "init", "--cluster", lazy.url, "--monitor", lazy.monitor],
    ]);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^indus: [^\n]*sync_interval: always[^\n]*\n$/);
    expect((await runIndus(["cluster", "status", "--cluster", lazy.url])).err).toContain("is not set up");
    await runIndus(["cluster", "init", "--cluster", lazy.url]);
    // As earlier versions made it.
    await using connection = await connectCluster({ urls: [lazy.url] }, "test");
    const { streams } = (await connection.jetStream()).manager;
    await streams.update(Stream.AUDIT, { compression: "s2" as never });
    const damaged = await runIndus(["cluster", "check", "--cluster", lazy.url]);
    expect(damaged.out).toContain("wrong: the stream indus_audit is compressed");
    const shorter = await runIndus(["cluster", "init", "--lease", "5", "--cluster", lazy.url]);
    for (const stream of [Stream.AUDIT, Stream.LEDGER])
      expect((await streams.info(stream)).config.compression).toBe("none");
    expect([shorter.code, shorter.out]).toEqual([0, expect.stringContaining("brought up to date")]);
    const found = await runIndus(["cluster", "check", "--cluster", lazy.url, "--monitor", lazy.monitor]);
    expect(found.code).toBe(1);
    expect(found.out).toContain("wrong: workers: 0");
    expect(found.out).toContain("sync_interval: always");
  },
  options,
);

verifies(
  "cluster:state",
  "a server added with --cluster is listed by both gateways, and a revoked token is refused by both",
  async () => {
    const added = await indus("mcp", "add", "third", "--", process.execPath, "-e", "0");
    expect(added.out).toContain("the cluster's configuration");
    const bob = (await indus("token", "add", "bob")).out.trim();
    for (const gateway of [0, 1])
      expect(
        await eventually(async () =>
          (await call(gateway, "nothing", {}, bob)).status === 401 ? undefined : true,
        ),
      ).toBe(true);
    expect((await indus("mcp", "get", "third")).out).toContain("third");
    expect((await indus("token", "revoke", "bob")).code).toBe(0);
    await pause(0);
    for (const gateway of [0, 1])
      await eventually(async () =>
        (await call(gateway, "nothing", {}, bob)).status === 401 ? true : undefined,
      );
    expect((await indus("mcp", "remove", "third")).code).toBe(0);
    expect((await indus("mcp", "get", "third")).code).toBe(1);
  },
  options,
);

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BridgeCapability, BridgeLedger } from "induscode/deck";
import { ticksOf } from "../cluster/scaling.ts";
import { Cluster, INDUS } from "../cluster/set-up.ts";
import { modernRequest } from "../packages/indusagi/test/interop/host/http/raw-http.ts";
import { connectCluster } from "../packages/induscode/src/cluster/connect-cluster.ts";
import { openServerLedger } from "../packages/induscode/src/cluster/server-ledger.ts";
import { freePort } from "../test/kit/free-port.ts";
import { natsServer } from "../test/kit/nats-server.ts";
import type { BenchCase } from "./case.ts";
import { type Figure, figureOf } from "./measure.ts";

const ECHO = fileURLToPath(new URL("../test/servers/server.mjs", import.meta.url));
const ROW = { command: process.execPath, args: [ECHO, "--era", "legacy"] };
const ROUNDS = 7;
const CALLS = 400;
const LARGE_BYTES = 50_000_000;

/** A gateway of a cluster with one worker over three NATS servers, and a single gateway with the same server. Both without tokens. */
interface Sides {
  readonly single: Side;
  readonly clustered: Side;
  /** Milliseconds for plain NATS requests over the same servers, without Indus. */
  bare(calls: number, atOnce: number): Promise<number>;
}

interface Side {
  /** Milliseconds for `calls` calls, of which `atOnce` run at the same time. */
  calls(calls: number, atOnce: number): Promise<number>;
  large(): Promise<number>;
  /** The processor time so far of its processes without the server, in ticks. */
  ticks(): number;
}

async function withSides(measure: (sides: Sides) => Promise<Figure>): Promise<Figure> {
  await using cluster = await Cluster.start({ servers: [], rows: { echo: ROW }, isOpen: true });
  // Connected to two of the servers, as the plain requests are: otherwise chance decides how many servers a call passes.
  const [first, second] = cluster.nats.nodes.map(({ url }) => url);
  if (first === undefined || second === undefined) throw new Error("there are no two NATS servers");
  const worker = await cluster.worker("w1", { nats: second });
  const gateway = await cluster.gateway("g1", { nats: first });
  const [single, singleUrl] = await startSingle(cluster);
  const responder = await startResponder(second);
  const { connect } = await import("@nats-io/transport-node");
  const nats = await connect({ servers: first.replace("nats://", "") });
  try {
    const sides: Sides = {
      clustered: side(gateway.url, [gateway.pid, worker.pid]),
      single: side(singleUrl, [single.pid ?? 0]),
      bare: (calls, atOnce) =>
        inTurns(calls, atOnce, async () => {
          await nats.request("bench.echo", BARE, { timeout: 10_000 });
        }),
    };
    // Everything is started, loaded and compiled.
    for (const each of [sides.clustered, sides.single]) await each.calls(CALLS * 2, 16);
    await sides.bare(CALLS * 2, 16);
    return await measure(sides);
  } finally {
    await nats.close();
    for (const child of [single, responder]) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  }
}

const TEXT = "x".repeat(64);
/** As many bytes as a call of ours. */
const BARE = "x".repeat(400);

async function startSingle(cluster: Cluster): Promise<[ChildProcess, string]> {
  const port = await freePort();
  const home = join(cluster.folder, "single");
  const serve = ["serve", "--port", String(port), "--profile", "none", "--mcp"];
  const child = spawn(process.execPath, [INDUS, ...serve, join(cluster.folder, "servers.json")], {
    cwd: cluster.folder,
    env: { ...process.env, HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  return [child, await printed(child, /^http:\S+/m)];
}

const RESPONDER = `
const { connect } = await import(process.argv[1]);
const nats = await connect({ servers: process.argv[2] });
nats.subscribe("bench.echo", { callback: (_, message) => message.respond(message.data) });
await nats.flush();
console.log("ready");
`;

async function startResponder(url: string): Promise<ChildProcess> {
  const library = import.meta.resolve("@nats-io/transport-node");
  const argv = ["--input-type=module", "-e", RESPONDER, library, url.replace("nats://", "")];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  await printed(child, /ready/);
  return child;
}

async function printed({ stdout }: ChildProcess, pattern: RegExp): Promise<string> {
  let said = "";
  for await (const chunk of stdout ?? []) {
    said += String(chunk);
    const [found] = pattern.exec(said) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`a program of the bench has ended: ${said}`);
}

function side(url: string, pids: readonly number[]): Side {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const post = (name: string, args: object): Promise<number> => {
    const { headers, body } = modernRequest(1, "tools/call", { name: `echo__${name}`, arguments: args });
    const bytes = Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const outgoing = request(
        url,
        {
          method: "POST",
          agent,
          headers: {
            ...headers,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "content-length": bytes.length,
          },
        },
        (incoming) => {
          let length = 0;
          incoming.on("data", (chunk: Buffer) => (length += chunk.length));
          incoming.once("end", () =>
            incoming.statusCode === 200
              ? resolve(length)
              : reject(new Error(`${url} answered ${incoming.statusCode}`)),
          );
          incoming.once("error", reject);
        },
      );
      outgoing.once("error", reject);
      outgoing.end(bytes);
    });
  };
  return {
    calls: (calls, atOnce) => inTurns(calls, atOnce, async () => void (await post("echo", { text: TEXT }))),
    large: async () => {
      const startMs = performance.now();
      const length = await post("huge", { bytes: LARGE_BYTES });
      if (length < LARGE_BYTES) throw new Error(`${url} answered only ${length} bytes`);
      return performance.now() - startMs;
    },
    ticks: () => ticksOf(pids),
  };
}

async function inTurns(calls: number, atOnce: number, call: () => Promise<void>): Promise<number> {
  let left = calls;
  const startMs = performance.now();
  const run = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return performance.now() - startMs;
}

const skip =
  natsServer === undefined
    ? "nats-server 2.12 or newer is missing; put one on the path, name it in NATS_SERVER, or run scripts/ci-extras"
    : process.platform === "linux"
      ? undefined
      : "processor time is read from /proc";

function added(atOnce: number): BenchCase {
  return {
    id: `cluster-call-${atOnce}`,
    summary: `what a cluster adds to a call, ${atOnce} at once (gateway with worker over three NATS servers − single gateway) / a bare request and answer over these`,
    skip,
    measure: () =>
      withSides(async ({ single, clustered, bare }) => {
        const ratios: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const clusterMs = await clustered.calls(CALLS, atOnce);
          const singleMs = await single.calls(CALLS, atOnce);
          ratios.push((clusterMs - singleMs) / (await bare(CALLS, atOnce)));
        }
        return figureOf(ratios);
      }),
  };
}

const processorTime: BenchCase = {
  id: "cluster-cpu",
  summary: "processor time of gateway and worker for 64 calls at once / of a single gateway",
  skip,
  measure: () =>
    withSides(async ({ single, clustered }) => {
      const ratios: number[] = [];
      const spent = async (side: Side): Promise<number> => {
        const before = side.ticks();
        await side.calls(CALLS * 4, 64);
        return side.ticks() - before;
      };
      for (let round = 0; round < ROUNDS; round++)
        ratios.push((await spent(clustered)) / (await spent(single)));
      return figureOf(ratios);
    }),
};

const large: BenchCase = {
  id: "cluster-50mb",
  summary: "a result of 50 MB through a cluster / through a single gateway",
  skip,
  measure: () =>
    withSides(async ({ single, clustered }) => {
      await clustered.large();
      await single.large();
      const ratios: number[] = [];
      for (let round = 0; round < ROUNDS; round++)
        ratios.push((await clustered.large()) / (await single.large()));
      return figureOf(ratios);
    }),
};

const APPENDS = 60;

/** One entry at a time: each is acknowledged before the next one. */
const ledger: BenchCase = {
  id: "cluster-ledger",
  summary:
    "an entry appended to the ledger of a cluster / a bare publish of as many bytes to the same stream",
  skip,
  measure: async () => {
    await using cluster = await Cluster.start({ servers: [] });
    await using connection = await connectCluster({ urls: cluster.nats.url.split(",") }, "bench");
    const { client } = await connection.jetStream();
    await using log = await openServerLedger(connection, "bench", { report: console.error });
    let ledger = BridgeLedger.empty();
    let count = 0;
    const append = async (): Promise<void> => {
      ledger = ledger.enroll({ capability: toolOf(count++), server: "bench" }, AT);
      await log.append(ledger.log.slice(-1));
    };
    await append();
    const before = log.bytes;
    await append();
    const bare = Buffer.alloc(log.bytes - before, "x");
    const publish = async (): Promise<void> => void (await client.publish("indus_ledger.bench", bare));
    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const appendMs = await inTurns(APPENDS, 1, append);
      const publishMs = await inTurns(APPENDS, 1, publish);
      if (round > 0) ratios.push(appendMs / publishMs); // Everything is compiled after the first.
    }
    return figureOf(ratios);
  },
};

const AT = "2026-07-28T09:30:00.000Z";

function toolOf(at: number): BridgeCapability {
  const name = `tool-${at}`;
  const parameters = { type: "object" };
  const origin = { server: "bench", tool: name };
  return new BridgeCapability(
    { name: `bench__${name}`, description: `does ${name}`, parameters, origin },
    { run: () => Promise.reject(new Error("it is not called")) },
  );
}

export const clusterCases: readonly BenchCase[] = [added(1), added(64), processorTime, large, ledger];

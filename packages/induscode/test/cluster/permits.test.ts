import { setTimeout as pause } from "node:timers/promises";
import { natsServer, startNats, tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { type ClusterConnection, connectCluster } from "../../src/cluster/connect-cluster.ts";
import { subjects } from "../../src/cluster/contract.ts";
import { type GatewayNode, openGatewayNode } from "../../src/cluster/gateway-node.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";
import { eventually } from "../bin/run-indus.ts";

const options = { when: natsServer !== undefined, timeoutMs: 60_000 } as const;

interface OpenGateways extends AsyncDisposable {
  readonly nodes: readonly GatewayNode[];
  readonly connections: readonly ClusterConnection[];
}

async function openGateways(url: string, count: number, leaseMs: number): Promise<OpenGateways> {
  const address = { urls: [url] };
  await using admin = await connectCluster(address, "admin");
  await setUpCluster(admin, { leaseMs });
  const connections = await Promise.all(
    Array.from({ length: count }, (_, at) => connectCluster(address, `g${at}`)),
  );
  const key = new Uint8Array(32);
  const nodes = await Promise.all(
    connections.map((connection, at) =>
      openGatewayNode(connection, { name: `g${at}`, key, report: () => {} }),
    ),
  );
  return {
    nodes,
    connections,
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(nodes.map((node) => node[Symbol.asyncDispose]()));
      for (const connection of connections) await connection[Symbol.asyncDispose]();
    },
  };
}

verifiesTogether(
  "cluster:limits",
  "the calls of a token at three gateways together never exceed its limit, and most ask nobody",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using gateways = await openGateways(nats.url, 3, 20_000);
    const places = gateways.nodes.map(({ permits }) => permits.of("token", 7));
    let [running, most, done, refused] = [0, 0, 0, 0];
    const call = async (at: number): Promise<void> => {
      const end = await places[at]?.begin();
      if (!end) {
        refused += 1;
        return pause(5);
      }
      running += 1;
      most = Math.max(most, running);
      await pause(Math.random() * 4);
      running -= 1;
      done += 1;
      end();
    };
    // Shares that shift: now one gateway has all calls, now another, now all have too many.
    const caller = async (at: number): Promise<void> => {
      for (let each = 0; each < 150; each++) await call((at + Math.floor(each / 30)) % 3);
    };
    const before = gateways.connections[0]?.nats.stats().outMsgs ?? 0;
    await Promise.all(Array.from({ length: 20 }, (_, at) => caller(at % 3)));
    const asked = (gateways.connections[0]?.nats.stats().outMsgs ?? 0) - before;
    expect(most).toBe(7);
    expect(done + refused).toBe(3_000);
    expect(done).toBeGreaterThan(500);
    expect(asked).toBeLessThan(done);
    expect(running).toBe(0);
  },
  options,
);

verifiesTogether(
  "cluster:limits",
  "permits of an idle gateway are had at once, and those of a dead one when its lease has ended",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using gateways = await openGateways(nats.url, 2, 2_000);
    const [first, second] = gateways.nodes.map(({ permits }) => permits.of("token", 3));
    const takeAll = async (places = first): Promise<(() => void)[]> => {
      const ends = await Promise.all([places?.begin(), places?.begin(), places?.begin()]);
      return ends.flatMap((end) => end ?? []);
    };
    const ends = await takeAll();
    expect(ends).toHaveLength(3);
    expect(await second?.begin()).toBeUndefined();
    for (const end of ends) end();
    // The first still holds all three, and uses none.
    const taken = await eventually(() => second?.begin() ?? undefined, 2_000);
    taken();
    for (const end of await takeAll(second)) end();

    expect(await eventually(async () => ((await takeAll()).length === 3 ? true : undefined))).toBe(true);
    expect(await second?.begin()).toBeUndefined();
    const deadAtMs = performance.now();
    await gateways.connections[0]?.nats.close();
    const freed = await eventually(async () => {
      const got = await second?.begin();
      if (!got) await pause(100);
      return got;
    }, 20_000);
    freed();
    expect(performance.now() - deadAtMs).toBeGreaterThan(1_000);
    // It knows that it may have lost them.
    await eventually(async () => ((await first?.begin()) === undefined ? true : undefined));
  },
  options,
);

verifiesTogether(
  "cluster:garbage",
  "a node goes on after messages that no node sends",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using gateways = await openGateways(nats.url, 2, 20_000);
    const [first, second] = gateways.nodes;
    const id = first?.id ?? "";
    await using stranger = await connectCluster({ urls: [nats.url] }, "stranger");
    for (const subject of [subjects.permits(id), subjects.forward(id), subjects.link("gateway", id, "none")])
      for (const text of ["", "null", "{", "\u0000".repeat(40)])
        stranger.nats.publish(subject, text, { reply: subjects.unread("gateway", id, "none") });
    await stranger.nats.flush();
    const taken = await first?.permits.of("token", 1).begin();
    expect(await second?.permits.of("token", 1).begin()).toBeUndefined();
    taken?.();
    // The first one is asked over NATS, and answers.
    expect(await eventually(() => second?.permits.of("token", 1).begin() ?? undefined, 5_000)).toBeTypeOf(
      "function",
    );
    expect(gateways.connections[0]?.nats.stats().inMsgs).toBeGreaterThan(12);
  },
  options,
);

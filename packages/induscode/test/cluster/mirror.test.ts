import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { natsServer, startNats, tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { Bucket } from "../../src/cluster/contract.ts";
import { openMirror } from "../../src/cluster/mirror.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";
import { eventually } from "../bin/run-indus.ts";

const LEASE_MS = 1_000;
/** Longer than a lease, and than NATS tells that one has run out. */
const CUT_MS = 3_500;

/** A way to NATS that can be cut. */
async function startWay(
  to: string,
): Promise<AsyncDisposable & { readonly url: string; cut(ms: number): void }> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let untilMs = 0;
  const server = createServer((socket) => {
    const other = connect(Number(target.port), target.hostname);
    for (const each of [socket, other]) {
      sockets.add(each);
      each
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(each);
          socket.destroy();
          other.destroy();
        });
    }
    if (performance.now() < untilMs) socket.destroy();
    else socket.pipe(other).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: (ms) => {
      untilMs = performance.now() + ms;
      end();
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      end();
    },
  };
}

verifiesTogether(
  "cluster:killed",
  "a lease that ran out while nobody could be told is noticed all the same",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using way = await startWay(nats.url);
    await using admin = await connectCluster({ urls: [nats.url] }, "admin");
    await setUpCluster(admin, { leaseMs: LEASE_MS });
    await using connection = await connectCluster({ urls: [way.url] }, "node");
    const leases = await admin.bucket(Bucket.NODES);
    await leases.put("living", "1");
    await leases.put("dead", "1");
    using mirror = await openMirror(
      await connection.bucket(Bucket.NODES),
      (text) => text,
      () => {},
    );
    expect(mirror.keys().toSorted()).toEqual(["dead", "living"]);
    way.cut(CUT_MS);
    const renewing = setInterval(() => void leases.put("living", "2").catch(() => {}), LEASE_MS / 4);
    try {
      await pause(CUT_MS);
      expect(mirror.keys()).toHaveLength(2);
      const gone: string[] = [];
      mirror.onChange((key) => {
        if (mirror.get(key) === undefined) gone.push(key);
      });
      expect(await eventually(() => (gone.includes("dead") ? true : undefined), 10_000)).toBe(true);
      expect([mirror.keys(), gone]).toEqual([["living"], ["dead"]]);
    } finally {
      clearInterval(renewing);
    }
  },
  { when: natsServer !== undefined, timeoutMs: 60_000 },
);

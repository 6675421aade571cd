import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { isFullSize, natsServer, startNats, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { modernRequest, send } from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";
import { eventually, runIndus, startIndus } from "../bin/run-indus.ts";

/** A way to NATS that can be cut: then bytes are lost, and nobody is told. */
async function cuttable(url: string) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => void (isCut || to.write(bytes)));
      from.on("error", () => {});
      from.on("close", () => to.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: (): void => void (isCut = true),
    /** What was lost stays lost: connections begin anew. */
    mend: (): void => {
      isCut = false;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

verifies(
  "cluster:revoked",
  "a gateway that is cut off from NATS refuses tokens after one and a half leases, and accepts them when it is back",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    using way = await cuttable(nats.url);
    const options = { cwd: dir.path };
    {
      await using connection = await connectCluster({ urls: [nats.url] }, "test");
      // Shorter than commands accept.
      await setUpCluster(connection, { leaseMs: 2_000 });
    }
    const { out: token } = await runIndus(["token", "add", "alice", "--cluster", nats.url], options);
    using gateway = startIndus(["serve", "--port", "0", "--require-token", "--cluster", way.url], options);
    const url = await eventually(() => /^http:\S+/m.exec(gateway.out())?.[0], 60_000);
    const request = modernRequest(1, "tools/list");
    const headers = { ...request.headers, authorization: `Bearer ${token.trim()}` };
    const status = async (): Promise<number> => (await send(url, { ...request, headers })).status;
    expect(await status()).toBe(200);
    way.cut();
    // What was revoked a moment before it was cut off is not known to it.
    await eventually(async () => ((await status()) === 401 ? true : undefined), 30_000);
    expect(gateway.err()).toContain("tokens are refused");
    way.mend();
    await eventually(async () => ((await status()) === 200 ? true : undefined), 30_000);
    gateway.child.kill("SIGTERM");
    await gateway.ended;
  },
  { when: natsServer !== undefined && isFullSize, timeoutMs: 120_000 },
);

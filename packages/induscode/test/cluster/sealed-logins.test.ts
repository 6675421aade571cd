import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { natsServer, startNats, type TempDir, tempDir, verifiesTogether } from "@indus/testkit";
import type { TokenStore } from "indusagi/interop";
import { expect } from "vitest";
import {
  called,
  expiredLogin,
  protectedServer,
  providerFor,
} from "../../../indusagi/test/interop/auth/login-kit.ts";
import { type ClusterConnection, connectCluster } from "../../src/cluster/connect-cluster.ts";
import { openSealedLogins } from "../../src/cluster/sealed-logins.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";

const options = { when: natsServer !== undefined, timeoutMs: 60_000 } as const;

function keyFile(dir: TempDir, name = "key"): string {
  writeFileSync(dir.at(name), `${name} ${"secret ".repeat(8)}`);
  return dir.at(name);
}

verifiesTogether(
  "cluster:logins",
  "of six workers with one expired login one renews it and all calls succeed, and NATS never has a token",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using server = await protectedServer({ tokenDelayMs: 100 });
    const connections: ClusterConnection[] = [];
    try {
      for (let count = 0; count < 6; count++)
        connections.push(await connectCluster({ urls: [nats.url] }, `worker ${count}`));
      const [first] = connections as [ClusterConnection];
      await setUpCluster(first, {});
      const key = keyFile(dir);
      const stores = await Promise.all(connections.map((each) => openSealedLogins(each, key)));
      const [store] = stores as [TokenStore];
      let changes = 0;
      const stop = store.watch({ server: server.url, principal: "default" }, () => (changes += 1));
      await expiredLogin(store, server);
      for (let round = 1; round <= 2; round++) {
        const calls = stores.map((each) => called(server, providerFor(server, { store: each })));
        expect(await Promise.all(calls)).toEqual(stores.map(() => "hello"));
        expect(server.counts).toMatchObject({ redemptions: round, refusals: 0, authorizations: 1 });
        const [login] = await store.find({ server: server.url, principal: "default" });
        if (login?.record.tokens)
          await store.save(login.key, {
            ...login.record,
            tokens: { ...login.record.tokens, expiresAtMs: 1 },
          });
        server.expire();
      }
      expect(changes).toBeGreaterThan(2);
      stop();
      const other = await openSealedLogins(first, keyFile(dir, "another"));
      expect(await other.find({ server: server.url, principal: "default" })).toEqual([]);
      await nats.end("SIGTERM");
      const files = readdirSync(dir.at("nats"), { recursive: true }) as string[];
      const texts = files.map((name) => join(dir.at("nats"), name)).filter((path) => statSync(path).isFile());
      expect(texts.some((path) => readFileSync(path, "latin1").includes("indus_logins"))).toBe(true);
      for (const path of texts) expect(readFileSync(path, "latin1")).not.toMatch(/canary|refresh_token/);
    } finally {
      for (const connection of connections) await connection[Symbol.asyncDispose]();
    }
  },
  options,
);

verifiesTogether(
  "cluster:logins",
  "a worker that dies while it renews a login holds the others up for the lease of its lock and not longer; a changed login is refused",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using server = await protectedServer();
    await using connection = await connectCluster({ urls: [nats.url] }, "one");
    await setUpCluster(connection, {});
    const { manager } = await connection.jetStream();
    const { config } = await manager.streams.info("KV_indus_locks");
    await manager.streams.update("KV_indus_locks", {
      ...config,
      max_age: 1_500_000_000,
      duplicate_window: 1_000_000_000,
    });
    const store = await openSealedLogins(connection, keyFile(dir));
    await expiredLogin(store, server);
    const account = { server: server.url, principal: "default" };
    {
      const dead = await connectCluster({ urls: [nats.url] }, "dead");
      const its = await openSealedLogins(dead, keyFile(dir));
      let holds = (): void => {};
      const held = new Promise<void>((resolve) => (holds = resolve));
      its.exclusive(account, () => new Promise<never>(holds)).catch(() => {});
      await held;
      // Longer than the lease: it is renewed while the step runs.
      let isFree = false;
      const waiting = store.exclusive(account, async () => (isFree = true));
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      expect(isFree).toBe(false);
      await dead[Symbol.asyncDispose]();
      expect(await waiting).toBe(true);
    }
    expect(await called(server, providerFor(server, { store }))).toBe("hello");
    const logins = await connection.bucket("indus_logins");
    for await (const name of await logins.keys()) {
      const bytes = Buffer.from((await logins.get(name))?.value ?? []);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      await logins.put(name, bytes);
    }
    await expect(store.find(account)).rejects.toThrow("changed by somebody without the key");
  },
  options,
);

import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { storeVerifier } from "../../../src/gateway/access/http-access.ts";
import { openTokenStore } from "../../../src/gateway/index.ts";

verifies(
  "access:tokens",
  "the file holds hashes and is private; a token is found by itself only",
  async () => {
    await using dir = await tempDir();
    const store = openTokenStore(dir.path);
    expect(store.list()).toEqual([]);
    const alice = await store.add("alice", {
      servers: ["notes"],
      tools: ["notes__*"],
      calls: 2,
      listing: "auto",
    });
    const bob = await store.add("bob", {});
    const file = dir.at("tokens.json");
    const text = readFileSync(file, "utf8");
    for (const { token } of [alice, bob]) {
      expect(token).toMatch(/^indus_[0-9a-f]{10}_[A-Za-z0-9_-]{43}$/);
      expect(text).not.toContain(token.split("_").slice(2).join("_"));
    }
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    // Another process sees the same.
    const other = openTokenStore(dir.path);
    expect(other.list()).toEqual([alice.record, bob.record]);
    const verifier = storeVerifier({ store: other, report: () => {} });
    expect(await verifier.verify(alice.token)).toEqual({
      principal: `alice#${alice.record.id}`,
      audience: "any",
    });
    const swapped = `indus_${alice.record.id}_${bob.token.split("_").slice(2).join("_")}`;
    for (const wrong of [
      swapped,
      `${alice.token}x`,
      alice.token.slice(0, -1),
      alice.record.hash,
      "",
      "indus_",
    ])
      expect(await verifier.verify(wrong)).toBeUndefined();
    expect(await verifier.recheck?.(alice.token)).toBe(true);
    expect((await store.revoke(["alice"])).map(({ name }) => name)).toEqual(["alice"]);
    expect(await verifier.verify(alice.token)).toBeUndefined();
    expect(await verifier.recheck?.(alice.token)).toBe(false);
    expect(await verifier.recheck?.(bob.token)).toBe(true);
    await store.revoke([bob.record.id]);
    expect(other.list()).toEqual([]);
  },
);

verifies("access:tokens", "names are unique and usable, and an unknown one revokes nothing", async () => {
  await using dir = await tempDir();
  const store = openTokenStore(dir.path);
  await store.add("alice", {});
  await expect(store.add("alice", {})).rejects.toThrow(
    "there is already a token named alice; revoke it first",
  );
  for (const name of ["", "a b", "-x", "a#b", "é", "x".repeat(65), "a\nb"])
    await expect(store.add(name, {})).rejects.toThrow("is not a valid token name");
  await expect(store.revoke(["alice", "bob"])).rejects.toThrow('there is no token named "bob"');
  expect(store.list()).toHaveLength(1);
});

verifies("access:file", "tokens that are added at the same time are all kept", async () => {
  await using dir = await tempDir();
  const names = Array.from({ length: 8 }, (_, at) => `t${at}`);
  await Promise.all(names.map((name) => openTokenStore(dir.path).add(name, {})));
  const kept = openTokenStore(dir.path).list();
  expect(kept.map(({ name }) => name).sort()).toEqual(names);
});

verifies("access:file", "a damaged file, and one that others can read, admits no client", async () => {
  await using dir = await tempDir();
  const store = openTokenStore(dir.path);
  const { token } = await store.add("alice", {});
  const file = dir.at("tokens.json");
  const good = readFileSync(file, "utf8");
  const reports: string[] = [];
  const verifier = storeVerifier({ store, report: (message) => void reports.push(message) });
  expect(await verifier.verify(token)).toBeDefined();
  const texts = ["", "{", "null", "[]", '{"format":2,"tokens":[]}', good.replace('"name"', '"nom"')];
  for (const text of texts) {
    writeFileSync(file, text);
    expect(() => store.list()).toThrow("is damaged, or of a newer version");
    for (let times = 0; times < 2; times += 1) expect(await verifier.verify(token)).toBeUndefined();
  }
  expect(reports).toEqual([expect.stringMatching(/^no token is accepted: the token file .*damaged/)]);
  writeFileSync(file, good);
  expect(await verifier.verify(token)).toBeDefined();
  if (process.platform === "win32") return;
  chmodSync(file, 0o644);
  expect(() => store.list()).toThrow("run chmod 600");
  expect(await verifier.verify(token)).toBeUndefined();
});

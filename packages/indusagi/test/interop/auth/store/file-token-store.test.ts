import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { createFileTokenStore, type LoginRecord, type TokenKey } from "indusagi/interop";
import { expect } from "vitest";

const key: TokenKey = { server: "https://a.example/mcp", issuer: "https://i.example", principal: "ada" };

function recordOf(accessToken: string, savedAtMs = 1): LoginRecord {
  return { client: { client_id: "c" }, tokens: { accessToken, obtainedAtMs: 1 }, savedAtMs };
}

verifies(
  "login:store",
  "logins are kept apart by server, issuer and principal, the newest first",
  async () => {
    await using dir = await tempDir();
    const folder = join(dir.path, "logins");
    const store = createFileTokenStore(folder);
    expect(await store.find(key)).toEqual([]);
    await store.save(key, recordOf("one"));
    await store.save({ ...key, issuer: "https://j.example" }, recordOf("two", 2));
    await store.save({ ...key, principal: "bob" }, recordOf("three"));
    await store.save({ ...key, server: "https://b.example/mcp" }, recordOf("four"));
    const tokens = (await store.find(key)).map(({ record }) => record.tokens?.accessToken);
    expect(tokens).toEqual(["two", "one"]);
    await store.remove(key);
    expect(await store.find(key)).toHaveLength(1);
    const files = await readdir(folder);
    expect(files.join()).not.toMatch(/example|ada/);
    if (process.platform === "win32") return;
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of files) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  },
);

verifies(
  "login:store",
  "a record survives its file unchanged; a file that is no record is no login",
  async () => {
    await using dir = await tempDir();
    const store = createFileTokenStore(dir.path);
    const text = fc.string({ minLength: 1 });
    const records = fc.record(
      {
        client: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2, noUnicodeString: true })),
        savedAtMs: fc.nat(),
        redirectUrl: text,
        metadata: fc.dictionary(fc.string(), text),
        resource: text,
        tokens: fc.record(
          {
            accessToken: text,
            obtainedAtMs: fc.nat(),
            refreshToken: text,
            scope: text,
            expiresAtMs: fc.nat(),
          },
          { requiredKeys: ["accessToken", "obtainedAtMs"] },
        ),
        account: text,
        wantedScope: text,
        refreshRefused: fc.constant(true),
      },
      { requiredKeys: ["client", "savedAtMs"] },
    );
    await fc.assert(
      fc.asyncProperty(records, async (record) => {
        await store.save(key, record as LoginRecord);
        expect((await store.find(key))[0]?.record).toEqual(JSON.parse(JSON.stringify(record)));
      }),
      { numRuns: 40 },
    );
    const [file = ""] = (await readdir(dir.path)).filter((name) => name.endsWith(".json"));
    const whole = await readFile(join(dir.path, file), "utf8");
    for (const damaged of [
      "",
      "{",
      "[]",
      "null",
      whole.slice(0, -3),
      whole.replace('"version": 1', '"version": 2'),
    ]) {
      await writeFile(join(dir.path, file), damaged);
      expect(await store.find(key)).toEqual([]);
    }
  },
);

verifies("login:store", "a change by another store is noticed", async () => {
  await using dir = await tempDir();
  const watching = createFileTokenStore(join(dir.path, "logins"), { pollMs: 20 });
  const changed = new Promise<void>((resolve) => {
    const stop = watching.watch(key, () => {
      stop();
      resolve();
    });
  });
  await createFileTokenStore(join(dir.path, "logins")).save(key, recordOf("new"));
  await changed;
});

import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openInputStore } from "../../src/state/index.ts";

verifies("state:inputs", "an answer is kept for its file only, in a file of the owner", async () => {
  await using dir = await tempDir();
  const store = openInputStore(dir.path);
  expect(store.values()).toEqual({});
  expect(existsSync(dir.at("inputs.json"))).toBe(false);
  expect(await store.keep({ file: "/a", id: "token" }, "one")).toBe("token");
  // The same question of another file is another question: its servers must not get the first answer.
  expect(store.idOf({ file: "/b", id: "token" })).toBeUndefined();
  expect(await store.keep({ file: "/b", id: "token" }, "two")).toBe("token-2");
  expect(await store.keep({ file: "/a", id: "token" }, "three")).toBe("token");
  expect(openInputStore(dir.path).values()).toEqual({ token: "three", "token-2": "two" });
  expect(statSync(dir.at("inputs.json")).mode & 0o777).toBe(0o600);
});

verifies(
  "state:inputs",
  "answers that others could have written, or that are damaged, are not used",
  async () => {
    await using dir = await tempDir();
    const store = openInputStore(dir.path);
    await store.keep({ file: "/a", id: "token" }, "one");
    const text = readFileSync(dir.at("inputs.json"), "utf8");
    if (process.platform !== "win32") {
      chmodSync(dir.at("inputs.json"), 0o644);
      expect(() => store.values()).toThrow(
        "is open to other users (mode 0644); if you trust its content, run chmod 600 on it",
      );
      chmodSync(dir.at("inputs.json"), 0o600);
    }
    for (const damage of [
      text.slice(0, -5),
      "[]",
      '{"format":2,"inputs":{}}',
      '{"format":1,"inputs":{"a":1}}',
    ]) {
      writeFileSync(dir.at("inputs.json"), damage);
      expect(() => store.values()).toThrow("is damaged, or of a newer version");
      await expect(store.keep({ file: "/a", id: "x" }, "y")).rejects.toThrow("is damaged");
    }
  },
);

verifies("state:json-update", "answers that are given at the same time are all kept", async () => {
  await using dir = await tempDir();
  const files = ["/a", "/b", "/c", "/d"];
  await Promise.all(files.map((file) => openInputStore(dir.path).keep({ file, id: "token" }, file)));
  expect(Object.values(openInputStore(dir.path).values()).toSorted()).toEqual(files);
});

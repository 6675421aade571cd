import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { InMemoryStore, MAX_MEMORY_BYTES, type MemoryStore, memoryCard } from "induscode/deck";
import { expect } from "vitest";
import { openCard } from "./card-session.ts";

verifies("cards:memory", "notes are replaced, appended on a line of their own, and read", async () => {
  await using dir = await tempDir();
  await using card = openCard(memoryCard(), dir.path);
  expect(card.capability.description).toContain("lost when this session ends");
  const text = async (input: object): Promise<string> => (await card.run(input)).text;
  expect(await text({ action: "read" })).toBe("(no notes)");
  expect(await text({ action: "append", content: "one" })).toBe("appended 3 bytes");
  await text({ action: "append", content: "two\n" });
  await text({ action: "append", content: "three ✓" });
  expect(await text({ action: "read" })).toBe("one\ntwo\nthree ✓");
  expect(await text({ action: "replace", content: "x" })).toBe("replaced the notes with 1 byte");
  expect(await text({ action: "read" })).toBe("x");
  expect(await text({ action: "append" })).toBe('memory: "content" is missing; append needs the text');
});

verifies("cards:memory", "notes over 64 KiB are refused with the size, and nothing is changed", async () => {
  await using dir = await tempDir();
  await using card = openCard(memoryCard(), dir.path);
  expect(MAX_MEMORY_BYTES).toBe(65_536);
  const full = "✓".repeat(21_845); // 65,535 bytes
  await card.run({ action: "replace", content: full });
  const refused = await card.run({ action: "append", content: "y" });
  expect(refused.outcome.isError).toBe(true);
  expect(refused.text).toBe(
    "memory: the notes would have 65537 bytes, and at most 65536 are kept; nothing was changed: " +
      "read the notes and replace them with shorter ones",
  );
  expect((await card.run({ action: "replace", content: `${full}zz` })).outcome.isError).toBe(true);
  expect((await card.run({ action: "read" })).text).toBe(full);
});

verifies("cards:memory", "the host's store is used, and its failure is an error result", async () => {
  await using dir = await tempDir();
  const store = new InMemoryStore();
  await using card = openCard(memoryCard(), dir.path, { memory: store });
  expect(card.capability.description).toContain("kept for later sessions");
  await card.run({ action: "append", content: "kept" });
  expect(await store.read()).toBe("kept");
  const fail = (): Promise<never> => Promise.reject(new Error("disk gone"));
  const broken: MemoryStore = { read: fail, replace: fail, append: fail };
  await using failing = openCard(memoryCard(), dir.path, { memory: broken });
  const { outcome, text } = await failing.run({ action: "read" });
  expect(outcome.isError).toBe(true);
  expect(text).toBe("memory: could not read the notes: disk gone");
});

verifies("cards:memory", "appended notes can be told apart, and none is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.stringMatching(/^[a-z ]+\n?$/), { maxLength: 20 }), async (notes) => {
      const store = new InMemoryStore();
      for (const note of notes) await store.append(note);
      expect((await store.read()).split("\n").filter((line) => line !== "")).toEqual(
        notes.map((note) => note.replace("\n", "")),
      );
    }),
    { numRuns: 30 },
  );
});

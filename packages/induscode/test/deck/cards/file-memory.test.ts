import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { createFileMemory, memoryCard } from "induscode/deck";
import { expect } from "vitest";
import { openCard } from "./card-session.ts";

verifies("cards:memory-file", "notes are read by the next session; the file has only them", async () => {
  await using dir = await tempDir();
  const path = dir.at("state", "memory.md");
  {
    await using card = openCard(memoryCard(), dir.path, { memory: createFileMemory(path) });
    expect((await card.run({ action: "read" })).text).toBe("(no notes)");
    expect(existsSync(dir.at("state"))).toBe(false);
    await card.run({ action: "append", content: "one ✓" });
    await card.run({ action: "append", content: "two" });
  }
  await using card = openCard(memoryCard(), dir.path, { memory: createFileMemory(path) });
  expect((await card.run({ action: "read" })).text).toBe("one ✓\ntwo");
  await card.run({ action: "replace", content: "three" });
  expect(readFileSync(path, "utf8")).toBe("three");
  expect(readdirSync(dir.at("state"))).toEqual(["memory.md"]);
});

verifies("cards:memory-file", "notes over 64 KiB are refused, and the file stays as it was", async () => {
  await using dir = await tempDir();
  const memory = createFileMemory(dir.at("memory.md"));
  await memory.replace("x".repeat(65_536));
  await expect(memory.append("y")).rejects.toThrow(/would have 65538 bytes, and at most 65536 are kept/);
  await expect(memory.replace("z".repeat(65_537))).rejects.toMatchObject({ kind: "backend" });
  expect(await memory.read()).toBe("x".repeat(65_536));
});

verifies("cards:memory-file", "appends of one process at the same time are all kept", async () => {
  await using dir = await tempDir();
  const one = createFileMemory(dir.at("memory.md"));
  const other = createFileMemory(dir.at("memory.md"));
  const notes = Array.from({ length: 20 }, (_, index) => `note ${index}`);
  await Promise.all(notes.map((note, index) => (index % 2 === 0 ? one : other).append(note)));
  expect((await one.read()).split("\n")).toEqual(notes);
});

verifies("cards:memory-file", "a file that cannot be notes is named, and never changed", async () => {
  await using dir = await tempDir();
  const broken: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ["large.md", Buffer.alloc(70_000, "a"), /large\.md could not be read: it has 70000 bytes.*shorten it/],
    ["bytes.md", Buffer.from([0x61, 0xff, 0xfe]), /bytes\.md could not be read: .*not valid/],
  ];
  for (const [name, bytes, message] of broken) {
    writeFileSync(dir.at(name), bytes);
    const memory = createFileMemory(dir.at(name));
    await expect(memory.read()).rejects.toThrow(message);
    await expect(memory.append("more")).rejects.toThrow(message);
    expect(readFileSync(dir.at(name)).equals(bytes)).toBe(true);
  }
  writeFileSync(dir.at("file"), "");
  await expect(createFileMemory(dir.at("file", "memory.md")).append("x")).rejects.toThrow(
    /^the notes in .*memory\.md could not be changed: /,
  );
});

verifies(
  "cards:memory-file",
  "the file is private; links are neither followed nor written through, and a pipe does not block",
  async () => {
    await using dir = await tempDir();
    const memory = createFileMemory(dir.at("memory.md"));
    await memory.append("x");
    expect(statSync(dir.at("memory.md")).mode & 0o777).toBe(0o600);

    writeFileSync(dir.at("other"), "not ours");
    symlinkSync(dir.at("other"), dir.at("link.md"));
    const linked = createFileMemory(dir.at("link.md"));
    await expect(linked.read()).rejects.toThrow(/link\.md could not be read/);
    await linked.replace("ours");
    expect(readFileSync(dir.at("other"), "utf8")).toBe("not ours");
    expect(await linked.read()).toBe("ours");

    execFileSync("mkfifo", [dir.at("pipe.md")]);
    await expect(createFileMemory(dir.at("pipe.md")).read()).rejects.toThrow(/not a regular file/);
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "cards:memory-file",
  "a change that another machine blocks fails with the file to remove",
  async () => {
    await using dir = await tempDir();
    const lock = dir.at("memory.md.00000000-1-1.lock");
    writeFileSync(lock, "");
    const memory = createFileMemory(dir.at("memory.md"), { waitMs: 20 });
    await expect(memory.append("x")).rejects.toThrow(
      `is being changed by process 1; if that process no longer exists, remove ${lock}`,
    );
    expect(await memory.read()).toBe("");
  },
);

import { rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { watchFiles } from "../../../src/servers/find/watch-files.ts";

verifies(
  "watch:files",
  "each complete change is noticed, also of a file that does not exist yet",
  async () => {
    await using dir = await tempDir();
    const [file, folder] = [dir.at("a.json"), dir.at("b")];
    const stop = new AbortController();
    let noticed = 0;
    const watching = watchFiles({
      paths: () => [file, folder],
      signal: stop.signal,
      everyMs: 10,
      onChange: async () => void (noticed += 1),
    });
    await pause(50);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => writeFile(file, "1"),
      () => writeFile(file, "2"),
      () => writeFile(dir.at("other"), "3").then(() => rename(dir.at("other"), file)),
      () => rm(file),
      () => writeFile(folder, ""),
    ];
    for (const [count, change] of changes.entries()) {
      expect(noticed).toBe(count);
      await change();
      await expect.poll(() => noticed, { timeout: 20_000, interval: 5 }).toBe(count + 1);
      await pause(40);
    }
    stop.abort();
    await watching;
    expect(noticed).toBe(changes.length);
  },
);

verifies(
  "watch:files",
  "changes that do not end are read from time to time, and once more after the last",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("a.json");
    const stop = new AbortController();
    const read: number[] = [];
    let written = 0;
    const watching = watchFiles({
      paths: () => [file],
      signal: stop.signal,
      everyMs: 20,
      onChange: async () => void read.push(written),
    });
    await pause(30);
    for (; written < 50; ) {
      written += 1;
      await writeFile(file, String(written));
      await pause(5);
    }
    await expect.poll(() => read.at(-1), { timeout: 20_000 }).toBe(50);
    expect(read.length).toBeLessThan(40);
    stop.abort();
    await watching;
  },
);

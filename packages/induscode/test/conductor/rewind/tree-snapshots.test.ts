import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { openTreeSnapshots } from "induscode/conductor";
import { expect } from "vitest";

verifies(
  "session:rewind-commands",
  "a continued session goes on with its snapshots, also if git was killed in the middle of one",
  async () => {
    await using dir = await tempDir();
    execFileSync("git", ["init", "-q", dir.at("project")]);
    const file = dir.at("project", "a.txt");
    writeFileSync(file, "one");
    const options = { cwd: dir.at("project"), folder: dir.at("session") };
    const before = await (await openTreeSnapshots(options)).take();
    writeFileSync(file, "two");
    writeFileSync(dir.at("session", "snapshots.git", "index.lock"), "");
    const snapshots = await openTreeSnapshots(options);
    const after = await snapshots.take();
    expect(await snapshots.changes(before, after)).toEqual([file]);
    await snapshots.restore(before, [file]);
    expect(readFileSync(file, "utf8")).toBe("one");
  },
);

verifies(
  "session:rewind-commands",
  "the state at the end of a turn that was stopped is kept too",
  async () => {
    await using dir = await tempDir();
    execFileSync("git", ["init", "-q", dir.at("project")]);
    const file = dir.at("project", "a.txt");
    const stop = new AbortController();
    const options = { cwd: dir.at("project"), folder: dir.at("session"), lastDeadlineMs: 15_000 };
    const snapshots = await openTreeSnapshots({ ...options, signal: stop.signal });
    const before = await snapshots.take();
    writeFileSync(file, "one");
    stop.abort();
    const after = await snapshots.take();
    expect(await snapshots.changes(before, after)).toEqual([file]);
  },
);

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { openTreeSnapshots } from "induscode/conductor";
import { expect } from "vitest";
import { heldFiles, holdNames } from "../../../src/sandbox/hold-names.ts";

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

verifies(
  "sandbox:litter",
  "a snapshot does not keep what takes protected names while a command runs",
  async () => {
    await using dir = await tempDir();
    const cwd = dir.at("project");
    mkdirSync(cwd);
    execFileSync("git", ["init", "-q", cwd]);
    writeFileSync(dir.at("project", "a.txt"), "");
    const names = [".mcp.json", ".vscode", "opencode.json"];
    const held = await holdNames(cwd, names);
    const snapshots = await openTreeSnapshots({ cwd, folder: dir.at("own"), ignored: () => heldFiles(cwd) });
    expect(heldFiles(cwd)).toEqual([dir.at("project", ".mcp.json"), dir.at("project", "opencode.json")]);
    const during = await snapshots.take();
    writeFileSync(dir.at("project", ".mcp.json"), "mine");
    held.release();
    expect(heldFiles(cwd)).toEqual([]);
    expect(await snapshots.changes(during, await snapshots.take())).toEqual([dir.at("project", ".mcp.json")]);
  },
  { only: ["linux"] },
);

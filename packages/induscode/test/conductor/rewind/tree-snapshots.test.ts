import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { openTreeSnapshots } from "induscode/conductor";
import { type DiskCheckpointStore, openCheckpointStore } from "induscode/deck";
import { expect } from "vitest";
import { EMPTY_PROJECT_FILES } from "../../../src/policy/internal.ts";
import { holdNames } from "../../../src/policy/sandbox/hold-names.ts";
import { heldNames } from "../../../src/policy/sandbox/index.ts";

function openStore(dir: TempDir, session?: string): Promise<DiskCheckpointStore> {
  const options = { roots: [dir.at("project")], ...(session === undefined ? {} : { session }) };
  return openCheckpointStore(dir.at("state"), options);
}

verifies(
  "session:rewind-commands",
  "a continued session undoes what the earlier process kept, and leaves only what a rewind needs",
  async () => {
    await using dir = await tempDir();
    execFileSync("git", ["init", "-q", dir.at("project")]);
    const file = dir.at("project", "a.txt");
    writeFileSync(file, "one");
    for (let n = 0; n < 20; n += 1) writeFileSync(dir.at("project", `same-${n}.txt`), `same ${n}`);
    const store = await openStore(dir);
    const node = await store.beginNode();
    const snapshots = openTreeSnapshots({ history: store });
    await snapshots.before();
    writeFileSync(file, "two");
    await snapshots.after();
    await store.close();
    expect(readdirSync(dir.at("state", store.session))).toHaveLength(1);
    await using again = await openStore(dir, store.session);
    expect(again.nodes).toMatchObject([{ id: node, paths: [file], hasCommands: true }]);
    expect(await again.rewind(node)).toMatchObject({ done: true, restored: [file] });
    expect(readFileSync(file, "utf8")).toBe("one");
  },
);

verifies(
  "session:rewind-commands",
  "the state at the end of a turn that was stopped is kept too, and a reading that takes too long says so",
  async () => {
    await using dir = await tempDir();
    execFileSync("git", ["init", "-q", dir.at("project")]);
    const file = dir.at("project", "a.txt");
    await using store = await openStore(dir);
    const node = await store.beginNode();
    const stop = new AbortController();
    const options = { history: store, signal: stop.signal };
    const snapshots = openTreeSnapshots({ ...options, lastDeadlineMs: 15_000 });
    await snapshots.before();
    writeFileSync(file, "one");
    stop.abort();
    await snapshots.after();
    expect(await store.rewind(node)).toMatchObject({ done: true, removed: [file] });
    expect(existsSync(file)).toBe(false);
    // Each has contents to store, so the reading spans several slices on any disk: the deadline is looked at between them.
    for (let n = 0; n < 2_000; n += 1) writeFileSync(dir.at("project", `${n}.txt`), `contents ${n}`);
    await store.beginNode();
    const late = openTreeSnapshots({ history: store, deadlineMs: 1 });
    await expect(late.before()).rejects.toThrow("reading the folder takes longer than 0.001 s");
  },
);

verifies(
  "sandbox:litter",
  "what takes protected names is in no snapshot, whoever holds it and in whichever folder, and a rewind neither removes nor makes it",
  async () => {
    await using dir = await tempDir();
    const cwd = dir.at("project");
    const sub = dir.at("project", "sub");
    execFileSync("git", ["init", "-q", cwd]);
    mkdirSync(sub);
    writeFileSync(dir.at("project", ".gitignore"), "*.log\n");
    writeFileSync(dir.at("project", "sub", "a.log"), "");
    const names = [".git", ".mcp.json", ".vscode", "opencode.json"];
    const taken = [".indus-sandbox", ...names].toSorted();
    const listed = (folder: string): string[] => readdirSync(folder).toSorted();
    await using store = await openCheckpointStore(dir.at("state"), { roots: [cwd], ignored: heldNames });
    const snapshots = openTreeSnapshots({ history: store });

    // Held in a folder below, from before the commands until after the rewind.
    const below = await holdNames(sub, names);
    expect(heldNames(sub, listed(sub)).toSorted()).toEqual(taken);
    let node = await store.beginNode();
    await snapshots.before();
    // Held before the commands, and released by them; and the other way round.
    const early = await holdNames(cwd, names);
    await snapshots.after();
    expect(await store.rewind(node)).toMatchObject({ done: true, removed: [], restored: [] });
    node = await store.beginNode();
    await snapshots.before();
    writeFileSync(dir.at("project", "made"), "");
    early.release();
    below.release();
    const late = await holdNames(sub, names);
    await snapshots.after();
    expect(await store.rewind(node)).toMatchObject({ done: true, removed: [dir.at("project", "made")] });
    expect(listed(cwd)).toEqual([".git", ".gitignore", "sub"]);
    expect(listed(sub)).toEqual([...taken, "a.log"].toSorted());

    // What the user put under a name is the user's.
    rmSync(dir.at("project", "sub", ".mcp.json"));
    writeFileSync(dir.at("project", "sub", ".mcp.json"), EMPTY_PROJECT_FILES[".mcp.json"] ?? "");
    expect(heldNames(sub, listed(sub))).not.toContain(".mcp.json");
    late.release();
    expect(listed(sub)).toEqual([".mcp.json", "a.log"]);
  },
  { only: ["linux"] },
);

verifies(
  "session:rewind-commands",
  "an edit after a command is undone too: to the state before the command, or to its own if only that is known",
  async () => {
    await using dir = await tempDir();
    execFileSync("git", ["init", "-q", dir.at("project")]);
    const [known, ignored] = [dir.at("project", "known"), dir.at("project", "ignored")];
    writeFileSync(dir.at("project", ".gitignore"), "ignored\n");
    for (const path of [known, ignored]) writeFileSync(path, "first");
    await using store = await openStore(dir);
    const node = await store.beginNode();
    const snapshots = openTreeSnapshots({ history: store });
    await snapshots.before();
    for (const path of [known, ignored]) {
      writeFileSync(path, "by a command");
      await store.record(path, { bytes: Buffer.from("by a command") });
      writeFileSync(path, "by an edit");
      await store.wrote(path, { bytes: Buffer.from("by an edit") });
    }
    await snapshots.after();
    expect(await store.rewind(node)).toMatchObject({ done: true, restored: [known, ignored] });
    expect([known, ignored].map((path) => readFileSync(path, "utf8"))).toEqual(["first", "by a command"]);
  },
);

verifies("session:rewind-commands", "a tree deeper than a process may open files is covered", async () => {
  await using dir = await tempDir();
  execFileSync("git", ["init", "-q", dir.at("project")]);
  const deep = dir.at("project", ...Array.from({ length: 1200 }, () => "d"));
  mkdirSync(deep, { recursive: true });
  writeFileSync(`${deep}/file`, "first");
  await using store = await openStore(dir);
  const node = await store.beginNode();
  const snapshots = openTreeSnapshots({ history: store });
  expect((await snapshots.before()).unkept).toEqual([]);
  writeFileSync(`${deep}/file`, "changed");
  await snapshots.after();
  expect(await store.rewind(node)).toMatchObject({ restored: [`${deep}/file`] });
  expect(readFileSync(`${deep}/file`, "utf8")).toBe("first");
});

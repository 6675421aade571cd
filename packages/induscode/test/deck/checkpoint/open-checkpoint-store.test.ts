import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { makeLocalContext } from "indusagi/capabilities";
import { createManualClock } from "indusagi/core";
import {
  type CheckpointStoreOptions,
  type DiskCheckpointStore,
  maybeWrapCheckpoint,
  openCheckpointStore,
} from "induscode/deck";
import { expect } from "vitest";
import { editCard, invoke, writeCard } from "./tool-cards.ts";

interface Site extends AsyncDisposable {
  readonly dir: TempDir;
  readonly store: DiskCheckpointStore;
  /** A path of the workspace. */
  at(...parts: string[]): string;
  /** Writes a file through the wrapped tool. */
  write(path: string, content: string): Promise<void>;
  reopen(options?: Partial<CheckpointStoreOptions>): Promise<DiskCheckpointStore>;
}

async function site(options: Partial<CheckpointStoreOptions> = {}): Promise<Site> {
  const dir = await tempDir();
  await mkdir(dir.at("work"));
  const open = (more: Partial<CheckpointStoreOptions>): Promise<DiskCheckpointStore> =>
    openCheckpointStore(dir.at("state", "checkpoints"), { roots: [dir.at("work")], ...options, ...more });
  const store = await open({});
  const session = makeLocalContext(dir.at("work"));
  return {
    dir,
    store,
    at: (...parts) => dir.at("work", ...parts),
    write: async (path, content) => {
      const card = maybeWrapCheckpoint(writeCard(), { framework: { checkpoint: store } });
      const { isError, output } = await invoke(card, session, { path, content });
      if (isError) throw new Error(String(output));
    },
    reopen: (more = {}) => open(more),
    [Symbol.asyncDispose]: async () => {
      await session.close();
      await store.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const text = (path: string): Promise<string> => readFile(path, "utf8");
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777;

verifies(
  "checkpoint:rewind",
  "content, mode and absence come back; the second rewind has nothing to do",
  async () => {
    await using my = await site();
    await writeFile(my.at("a"), "old");
    await chmod(my.at("a"), 0o751);
    const node = await my.store.beginNode();
    await my.write("a", "new");
    await my.write("a", "newer");
    await my.write("sub/b", "new");
    await chmod(my.at("a"), 0o751);
    expect(await my.store.rewind(node)).toEqual({
      done: true,
      restored: [my.at("a")],
      removed: [my.at("sub/b")],
      unchanged: [],
      conflicts: [],
      skipped: [],
    });
    expect(await text(my.at("a"))).toBe("old");
    expect(await modeOf(my.at("a"))).toBe(0o751);
    expect(await readdir(my.at("sub"))).toEqual([]);
    expect(await readdir(my.at())).toEqual(["a", "sub"]);
    await expect(my.store.rewind(node)).rejects.toMatchObject({ kind: "unknown_node" });
  },
);

verifies(
  "checkpoint:nodes",
  "a rewind undoes its node and the later ones, and keeps the earlier ones",
  async () => {
    await using my = await site();
    for (const [id, content] of [
      ["n1", "one"],
      ["n2", "two"],
      ["n3", "three"],
    ] as const) {
      expect(await my.store.beginNode(id)).toBe(id);
      await my.write("a", content);
      await my.write(`only-${id}`, content);
    }
    expect(my.store.nodes).toMatchObject([
      { id: "n1" },
      { id: "n2", paths: [my.at("a"), my.at("only-n2")] },
      { id: "n3" },
    ]);
    await expect(my.store.beginNode("n1")).rejects.toMatchObject({ kind: "bad_node" });
    expect(await my.store.rewind("n2")).toMatchObject({ done: true, restored: [my.at("a")] });
    expect(await text(my.at("a"))).toBe("one");
    expect(await readdir(my.at())).toEqual(["a", "only-n1"]);
    expect(my.store.nodes.map(({ id }) => id)).toEqual(["n1"]);
    // What we last wrote is now what the first node wrote.
    await my.store.beginNode("n2");
    await my.write("a", "again");
    expect(await my.store.rewind("n1")).toMatchObject({
      done: true,
      removed: [my.at("a"), my.at("only-n1")],
    });
    expect(await readdir(my.at())).toEqual([]);
  },
);

verifies(
  "checkpoint:nodes",
  "the first record of a path in a node wins, also after the session is opened again",
  async () => {
    await using my = await site();
    await my.store.beginNode("n");
    await my.store.record(my.at("a"), { bytes: Buffer.from("first"), mode: 0o600 });
    await my.store.record(my.at("a"), { bytes: Buffer.from("second"), mode: 0o644 });
    await my.store.close();
    await using again = await my.reopen({ session: my.store.session });
    await again.record(my.at("a"), undefined);
    await again.rewind("n", { force: true });
    expect(await text(my.at("a"))).toBe("first");
    expect(await modeOf(my.at("a"))).toBe(0o600);
  },
);

verifies(
  "checkpoint:conflict",
  "a file that someone else changed stops the rewind, and force overrides",
  async () => {
    await using my = await site();
    await writeFile(my.at("edited"), "old");
    await writeFile(my.at("deleted"), "old");
    await writeFile(my.at("renamed"), "old");
    await writeFile(my.at("fine"), "old");
    const node = await my.store.beginNode();
    for (const name of ["edited", "deleted", "renamed", "fine", "mode", "folder"])
      await my.write(name, "ours");
    await writeFile(my.at("edited"), "theirs");
    await unlink(my.at("deleted"));
    await rename(my.at("renamed"), my.at("elsewhere"));
    await chmod(my.at("mode"), 0o777);
    await unlink(my.at("folder"));
    await mkdir(my.at("folder"));
    const stopped = await my.store.rewind(node);
    const conflicts = [
      { path: my.at("edited"), reason: "changed" },
      { path: my.at("deleted"), reason: "deleted" },
      { path: my.at("renamed"), reason: "deleted" },
      { path: my.at("mode"), reason: "changed" },
      { path: my.at("folder"), reason: "not_a_file" },
    ];
    expect(stopped).toMatchObject({ done: false, restored: [], removed: [], conflicts });
    expect(await text(my.at("fine"))).toBe("ours");

    const forced = await my.store.rewind(node, { force: true });
    expect(forced).toMatchObject({
      done: true,
      conflicts,
      skipped: [{ path: my.at("folder"), reason: "not_a_file" }],
    });
    for (const name of ["edited", "deleted", "renamed", "fine"])
      expect(await text(my.at(name)), name).toBe("old");
    expect(await text(my.at("elsewhere"))).toBe("ours");
    expect((await stat(my.at("folder"))).isDirectory()).toBe(true);
    expect(await readdir(my.at())).not.toContain("mode");
  },
);

verifies("checkpoint:conflict", "a file that is already as it was before is left alone", async () => {
  await using my = await site();
  await writeFile(my.at("a"), "old");
  const node = await my.store.beginNode();
  await my.write("a", "new");
  await writeFile(my.at("a"), "old");
  expect(await my.store.rewind(node)).toMatchObject({ done: true, unchanged: [my.at("a")], conflicts: [] });
});

verifies(
  "checkpoint:conflict",
  "a failed edit leaves the last note, so that a later change of the user is seen",
  async () => {
    await using my = await site();
    await writeFile(my.at("a"), "old");
    const node = await my.store.beginNode();
    await my.write("a", "ours");
    await writeFile(my.at("a"), "theirs");
    await using session = makeLocalContext(my.at());
    const edit = maybeWrapCheckpoint(editCard(), { framework: { checkpoint: my.store } });
    expect((await invoke(edit, session, { path: "a", oldText: "none", newText: "x" })).isError).toBe(true);
    expect(await my.store.rewind(node)).toMatchObject({ done: false, conflicts: [{ path: my.at("a") }] });
  },
);

verifies(
  "checkpoint:links",
  "links are never written through, and unknown or foreign paths are skipped; the rest is restored",
  async () => {
    await using my = await site();
    const node = await my.store.beginNode();
    await mkdir(my.at("sub"));
    for (const name of ["link", "hard", "sub/c", "fine"]) {
      await writeFile(my.at(name), "old");
      await my.write(name, "ours");
    }
    const outside = my.dir.at("outside");
    await my.store.record(outside, { bytes: Buffer.from("planted") });
    await my.store.record(my.at("x"), "unknown");
    await writeFile(my.dir.at("target"), "ours");
    await unlink(my.at("link"));
    await symlink(my.dir.at("target"), my.at("link"));
    await link(my.at("hard"), my.dir.at("other-name"));
    await rename(my.at("sub"), my.dir.at("moved"));
    await symlink(my.dir.at("moved"), my.at("sub"));
    expect(await my.store.rewind(node)).toEqual({
      done: true,
      restored: [my.at("fine")],
      removed: [],
      unchanged: [],
      conflicts: [],
      skipped: [
        { path: my.at("link"), reason: "symlink" },
        { path: my.at("hard"), reason: "hard_link" },
        { path: my.at("sub/c"), reason: "outside" },
        { path: outside, reason: "outside" },
        { path: my.at("x"), reason: "unknown" },
      ],
    });
    expect(await text(my.dir.at("target"))).toBe("ours");
    expect(await text(my.dir.at("other-name"))).toBe("ours");
    expect(await text(my.dir.at("moved", "c"))).toBe("ours");
    await expect(stat(outside)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await text(my.at("fine"))).toBe("old");
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "checkpoint:links",
  "a folder replaced by a link inside the workspace is not followed either; a missing folder is made again",
  async () => {
    await using my = await site();
    await mkdir(my.at("one"));
    await mkdir(my.at("two/deep"), { recursive: true });
    await writeFile(my.at("one/a"), "old");
    await writeFile(my.at("two/deep/b"), "old");
    const node = await my.store.beginNode();
    await my.write("one/a", "ours");
    await my.write("two/deep/b", "ours");
    await rename(my.at("one"), my.at("three"));
    await symlink("three", my.at("one"));
    await rm(my.at("two"), { recursive: true });
    expect(await my.store.rewind(node, { force: true })).toMatchObject({
      restored: [my.at("two/deep/b")],
      skipped: [{ path: my.at("one/a"), reason: "symlink" }],
    });
    expect(await text(my.at("three/a"))).toBe("ours");
    expect(await text(my.at("two/deep/b"))).toBe("old");
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "checkpoint:private",
  "only the owner can read the store, and a session without nodes leaves nothing",
  async () => {
    await using my = await site();
    await writeFile(my.at("a"), "secret", { mode: 0o644 });
    await my.store.beginNode();
    await my.write("a", "new");
    const folder = my.dir.at("state", "checkpoints");
    expect(await modeOf(folder)).toBe(0o700);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => entry.isFile())).toHaveLength(3); // Log, lock and one content.
    for (const entry of entries)
      expect(await modeOf(join(entry.parentPath, entry.name)), entry.name).toBe(
        entry.isFile() ? 0o600 : 0o700,
      );
    const before = await readdir(folder);
    await (await my.reopen()).close();
    expect(await readdir(folder)).toEqual(before);
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "checkpoint:limits",
  "nodes over the age or size limit are dropped, oldest first, never the current one",
  async () => {
    const clock = createManualClock(1_000_000);
    await using my = await site({ clock, maxAgeMs: 1_000, maxBytes: 250 });
    const contents = async (): Promise<number> =>
      (await readdir(my.dir.at("state", "checkpoints", my.store.session))).length;
    const begin = async (id: string, size: number): Promise<void> => {
      await my.store.beginNode(id);
      await my.store.record(my.at(id), { bytes: Buffer.alloc(size, id) });
    };
    const ids = (store: DiskCheckpointStore = my.store): string[] => store.nodes.map(({ id }) => id);
    await begin("a", 100);
    await begin("b", 100);
    await begin("c", 100);
    expect(ids()).toEqual(["a", "b", "c"]); // The limit is checked when a node begins.
    await my.store.beginNode("d");
    expect(ids()).toEqual(["b", "c", "d"]);
    expect(await contents()).toBe(2);
    await expect(my.store.rewind("a")).rejects.toMatchObject({ kind: "unknown_node" });
    await my.store.record(my.at("d"), { bytes: Buffer.alloc(1_000) });
    await my.store.record(my.at("d2"), { bytes: Buffer.alloc(1_000, 2) });
    await clock.advance(600);
    await my.store.close();

    await using next = await my.reopen({ maxBytes: 10_000 });
    await next.beginNode("e");
    await using again = await my.reopen({ session: my.store.session, maxBytes: 10_000 });
    expect(ids(again)).toEqual(["b", "c", "d"]);
    await again.close();
    await clock.advance(600);
    await next.beginNode("f");
    const old = my.reopen({ session: my.store.session });
    await expect(old).rejects.toMatchObject({ kind: "not_found" }); // All of its nodes were too old.
  },
);

verifies("checkpoint:processes", "a session has one user at a time, and names it", async () => {
  await using my = await site();
  await my.store.beginNode();
  const second = my.reopen({ session: my.store.session });
  await expect(second).rejects.toMatchObject({ kind: "locked" });
  await expect(second).rejects.toThrow(`process ${process.pid}`);
  await expect(my.reopen({ session: "../x" })).rejects.toMatchObject({ kind: "not_found" });
});

verifies("checkpoint:refused", "a closed store refuses records, and with them the write", async () => {
  await using my = await site();
  await my.store.beginNode();
  await my.store.close();
  await expect(my.write("a", "new")).rejects.toThrow("write: nothing was written");
  expect(await readdir(my.at())).toEqual([]);
});

verifies(
  "checkpoint:all-or-nothing",
  "a damaged content stops the rewind before any file is changed",
  async () => {
    await using my = await site();
    await writeFile(my.at("a"), "first");
    await writeFile(my.at("b"), "second");
    const node = await my.store.beginNode();
    await my.write("a", "ours");
    await my.write("b", "ours");
    const contents = my.dir.at("state", "checkpoints", my.store.session);
    for (const name of await readdir(contents)) {
      const bytes = await readFile(join(contents, name), "utf8");
      if (bytes === "second") await writeFile(join(contents, name), "sEcond");
    }
    await expect(my.store.rewind(node)).rejects.toMatchObject({ kind: "corrupt" });
    expect(await text(my.at("a"))).toBe("ours");
    expect(await readdir(my.at())).toEqual(["a", "b"]);
  },
);

import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { bashTool, type Fs, FsError, localFs, makeLocalContext } from "indusagi/capabilities";
import { answeredOutcome, textResult } from "indusagi/runtime";
import {
  type Capability,
  CHECKPOINTED_TOOLS,
  CheckpointingCard,
  type CheckpointStore,
  maybeWrapCheckpoint,
} from "induscode/deck";
import { expect } from "vitest";
import { callContext, cardOf, editCard, invoke, listStore, writeCard } from "./tool-cards.ts";

const wrap = (card: Capability, checkpoint: CheckpointStore): Capability =>
  maybeWrapCheckpoint(card, { framework: { checkpoint } });

verifies("checkpoint:wrap", "without a store, and for other tools, the same object comes back", () => {
  const card = writeCard();
  expect(maybeWrapCheckpoint(card, { framework: {} })).toBe(card);
  const bash = cardOf(bashTool());
  expect(wrap(bash, listStore())).toBe(bash);
  expect(CHECKPOINTED_TOOLS).toEqual(["write", "edit"]);
  expect(Object.isFrozen(CHECKPOINTED_TOOLS)).toBe(true);
  expect(wrap(card, listStore())).toBeInstanceOf(CheckpointingCard);
});

verifies("checkpoint:wrap", "every field of the card is passed on, and absent ones stay absent", () => {
  const effect = { readOnly: false, destructive: true, paths: ["a"] };
  const inner: Capability = { ...writeCard(), label: "Write a file", effect: () => effect };
  const card = wrap(inner, listStore());
  for (const field of ["name", "label", "description", "parameters", "readOnly", "descriptor"] as const)
    expect(card[field], field).toBe(inner[field]);
  expect(card.effect?.({ path: "a" })).toBe(effect);

  const { invoke: _, effect: __, ...bare } = inner;
  const without = wrap(bare, listStore());
  expect(without.effect).toBeUndefined();
  expect(without.invoke).toBeUndefined();
});

verifies("checkpoint:wrap", "run and invoke return the inner card's own answer", async () => {
  await using dir = await tempDir();
  await using session = makeLocalContext(dir.path);
  const result = textResult("done");
  const outcome = { ...answeredOutcome("c1", result), wire: { value: () => 7 } };
  const card = wrap({ ...writeCard(), run: async () => result, invoke: async () => outcome }, listStore());
  expect(await card.run({ path: "a" }, callContext(session, {}))).toBe(result);
  expect(await invoke(card, session, { path: "a" })).toBe(outcome);
});

verifies(
  "checkpoint:before",
  "bytes and mode of an existing file, and the absence of a new one",
  async () => {
    await using dir = await tempDir();
    await using session = makeLocalContext(dir.path);
    const store = listStore();
    const old = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xff, 0x00]);
    await writeFile(dir.at("a"), old);
    await chmod(dir.at("a"), 0o640);
    await invoke(wrap(writeCard(), store), session, { path: "a", content: "new" });
    await invoke(wrap(writeCard(), store), session, { path: "sub/b", content: "new" });
    expect(store.before).toEqual([
      { path: dir.at("a"), state: { bytes: old, mode: 0o640 } },
      { path: dir.at("sub/b"), state: undefined },
    ]);
  },
);

verifies("checkpoint:before", "a large file is given in pieces, and arrives whole", async () => {
  await using dir = await tempDir();
  await using session = makeLocalContext(dir.path);
  const old = Buffer.alloc(3 * 1024 * 1024 + 17, "0123456789");
  await writeFile(dir.at("large"), old);
  const store = listStore();
  await invoke(wrap(writeCard(), store), session, { path: "large", content: "new" });
  expect(store.before[0]?.state).toMatchObject({ mode: expect.any(Number) });
  const state = store.before[0]?.state as { bytes: Buffer };
  expect(state.bytes.equals(old)).toBe(true);
});

verifies(
  "checkpoint:before",
  "the file that changes is recorded: links are followed, and arguments are read as the tool reads them",
  async () => {
    await using dir = await tempDir();
    await using session = makeLocalContext(dir.path);
    await writeFile(dir.at("target"), "old");
    await symlink("target", dir.at("link"));
    const store = listStore();
    const card = wrap(writeCard(), store);
    await invoke(card, session, { path: "link", content: "new" });
    await invoke(card, session, JSON.stringify({ path: "sub/../other", content: "new" }));
    expect(store.before.map(({ path }) => path)).toEqual([dir.at("target"), dir.at("other")]);
    expect(await readFile(dir.at("other"), "utf8")).toBe("new");
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "checkpoint:before",
  "a call that the tool refuses for its path or arguments records nothing",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("home"));
    await using session = makeLocalContext(dir.at("home"));
    const store = listStore();
    const card = wrap(writeCard(), store);
    for (const input of [{ path: "../x", content: "" }, { path: "", content: "" }, {}, null, 7, "{"])
      expect((await invoke(card, session, input)).isError).toBe(true);
    expect(store.before).toEqual([]);
  },
);

/** A local file system whose files fail when they are opened or read. */
function failing(where: "open" | "read"): Fs {
  const local = localFs();
  return {
    ...local,
    open: async (path) => {
      if (where === "open") throw new FsError("no_permission", path, "may not be read");
      const file = await local.open(path);
      return {
        ...file,
        read: async (position, ...rest) => {
          if (position > 0) throw new FsError("io", path, "bad sector");
          return file.read(position, ...rest);
        },
      };
    },
  };
}

for (const where of ["open", "read"] as const) {
  verifies("checkpoint:unknown", `a file that fails at ${where} is unknown, and the tool runs`, async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("a"), Buffer.alloc(2 * 1024 * 1024));
    await using session = makeLocalContext(dir.path, { fs: failing(where) });
    const store = listStore();
    const card = wrap(
      { ...writeCard(), invoke: async (call) => answeredOutcome(call.id, textResult("ran")) },
      store,
    );
    expect(await invoke(card, session, { path: "a" })).toMatchObject({ output: "ran" });
    expect(store.before).toEqual([{ path: dir.at("a"), state: "unknown" }]);
  });
}

verifies("checkpoint:refused", "a store that rejects stops the call, in both forms", async () => {
  await using dir = await tempDir();
  await using session = makeLocalContext(dir.path);
  await writeFile(dir.at("a"), "old");
  const store: CheckpointStore = { record: () => Promise.reject(new Error("disk full")) };
  const card = wrap(writeCard(), store);
  const input = { path: "a", content: "new" };
  const outcome = await invoke(card, session, input);
  expect(outcome).toMatchObject({ id: "c1", isError: true });
  expect(outcome.output).toMatch(
    /^write: nothing was written.*\/a could not be kept for undoing: disk full$/,
  );
  expect(await card.run(input, callContext(session, input))).toMatchObject({ isError: true });
  expect(await readFile(dir.at("a"), "utf8")).toBe("old");
});

verifies("checkpoint:refused", "an abort ends the wait for a store that never answers", async () => {
  await using dir = await tempDir();
  await using session = makeLocalContext(dir.path);
  const store: CheckpointStore = { record: () => new Promise(() => {}) };
  const abort = new AbortController();
  const input = { path: "a", content: "new" };
  const card = wrap(writeCard(), store);
  const ctx = callContext(session, input, abort.signal);
  const [result, outcome] = [card.run(input, ctx), card.invoke?.(ctx.call, ctx)];
  abort.abort();
  expect(await result).toMatchObject({ isError: true });
  expect(await outcome).toMatchObject({
    id: "c1",
    isError: true,
    fault: { reason: "aborted", retrySafe: true },
  });
  await expect(readFile(dir.at("a"))).rejects.toMatchObject({ code: "ENOENT" });
});

verifies("checkpoint:after", "a success is noted with the new state, a failure is not noted", async () => {
  await using dir = await tempDir();
  await using session = makeLocalContext(dir.path);
  await writeFile(dir.at("a"), "old", { mode: 0o600 });
  const store = listStore();
  await invoke(wrap(writeCard(), store), session, { path: "a", content: "new" });
  const failed = await invoke(wrap(editCard(), store), session, {
    path: "a",
    oldText: "absent",
    newText: "x",
  });
  expect(failed.isError).toBe(true);
  expect(store.after).toEqual([{ path: dir.at("a"), state: { bytes: Buffer.from("new"), mode: 0o600 } }]);
});

verifies("checkpoint:after", "a note that fails does not fail the call", async () => {
  await using dir = await tempDir();
  await using session = makeLocalContext(dir.path);
  const store: CheckpointStore = { ...listStore(), wrote: () => Promise.reject(new Error("disk full")) };
  const outcome = await invoke(wrap(writeCard(), store), session, { path: "a", content: "new" });
  expect(outcome.isError).toBe(false);
});

verifies("checkpoint:order", "a write and nine edits of one turn run in order", async () => {
  await using dir = await tempDir();
  await using session = makeLocalContext(dir.path);
  await writeFile(dir.at("a"), "original");
  const store = listStore();
  const [write, edit] = [wrap(writeCard(), store), wrap(editCard(), store)];
  const outcomes = await Promise.all([
    invoke(write, session, { path: "a", content: "v0" }),
    ...Array.from({ length: 9 }, (_, n) =>
      invoke(edit, session, { path: "a", oldText: `v${n}`, newText: `v${n + 1}` }),
    ),
  ]);
  expect(outcomes.filter(({ isError }) => isError)).toEqual([]);
  expect(await readFile(dir.at("a"), "utf8")).toBe("v9");
  expect(store.before.map(({ state }) => String((state as { bytes: Buffer }).bytes))).toEqual([
    "original",
    ...Array.from({ length: 9 }, (_, n) => `v${n}`),
  ]);
  expect(store.after).toHaveLength(10);
});

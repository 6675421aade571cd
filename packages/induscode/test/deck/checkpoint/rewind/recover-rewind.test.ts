import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isRoot, ORDINARY_USER, runAsOrdinaryUser, type TempDir, tempDir, verifies } from "@indus/testkit";
import { type CheckpointDisk, openCheckpointStore } from "induscode/deck";
import { expect } from "vitest";
import { openFileHistory } from "../../../../src/conductor/open/open-session.ts";
import { fastDisk, watchedDisk } from "../rewind-site.ts";

const { signal } = new AbortController();

/** A folder with a repository in which a command did something. Returns the session, with one node `n`. */
async function changed(
  dir: TempDir,
  files: Readonly<Record<string, string>>,
  command: () => void,
): Promise<string> {
  for (const folder of [".git", "a/b"]) mkdirSync(dir.at("work", folder), { recursive: true });
  writeFileSync(dir.at("work/.git/HEAD"), "ref: refs/heads/main");
  for (const [name, text] of Object.entries(files)) writeFileSync(dir.at("work", name), text);
  const options = { roots: [dir.at("work")], disk: fastDisk };
  await using store = await openCheckpointStore(dir.at("state/checkpoints"), options);
  await store.beginNode("n");
  await store.beginCommands({ signal });
  command();
  await store.endCommands({ signal });
  return store.session;
}

/** Rewinds until this change of the workspace, as if the machine went down there. */
async function rewindUntil(dir: TempDir, session: string, operation: string): Promise<void> {
  let isDead = false;
  const disk = watchedDisk((now) => {
    isDead ||= now === operation;
    if (isDead) throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
  });
  const options = { roots: [dir.at("work")], session, disk };
  const store = await openCheckpointStore(dir.at("state/checkpoints"), options);
  await expect(store.rewind("n")).rejects.toMatchObject({ kind: "failed" });
  await store.close().catch(() => {});
}

verifies(
  "faults:d16-kill",
  "a rewind is finished with the files that it staged if their contents were lost",
  async () => {
    await using dir = await tempDir();
    const session = await changed(dir, { "a/file": "first" }, () =>
      writeFileSync(dir.at("work/a/file"), "second"),
    );
    await rewindUntil(dir, session, "rename");
    const contents = dir.at("state/checkpoints", session);
    for (const name of readdirSync(contents)) rmSync(`${contents}/${name}`);
    await using next = await openCheckpointStore(dir.at("state/checkpoints"), { roots: [dir.at("work")] });
    expect(next.recoveries).toMatchObject([{ state: "finished", left: [] }]);
    expect(readFileSync(dir.at("work/a/file"), "utf8")).toBe("first");
    expect(readdirSync(dir.at("work/a"))).toEqual(["b", "file"]);
  },
);

verifies(
  "faults:d16-kill",
  "a folder that is gone or a file now does not keep a store from being opened, and what was left is said in one line",
  async () => {
    for (const [how, after, left] of [
      ["gone", () => {}, []],
      ["a file", (dir: TempDir) => writeFileSync(dir.at("work/a"), "a file now"), ["a/b", "a/b/file"]],
    ] as const) {
      await using dir = await tempDir();
      const remove = (): void => rmSync(dir.at("work/a/b"), { recursive: true });
      const session = await changed(dir, { "a/b/file": "first" }, remove);
      await rewindUntil(dir, session, "mkdir");
      rmSync(dir.at("work/a"), { recursive: true });
      after(dir);
      const lines: string[] = [];
      const report = (line: string): void => void lines.push(line);
      const options = { state: dir.at("state"), cwd: dir.at("work"), session, report };
      await using store = await openFileHistory(options);
      expect({ how, recoveries: store.recoveries }).toMatchObject({
        how,
        recoveries: [{ state: "finished", left: left.map((name) => dir.at("work", name)) }],
      });
      if (left.length === 0) expect(readFileSync(dir.at("work/a/b/file"), "utf8")).toBe("first");
      expect(lines).toEqual(
        left.length === 0
          ? []
          : [expect.stringMatching(/an interrupted rewind was finished, except .*: a\/b, a\/b\/file$/)],
      );
    }
  },
);

verifies(
  "checkpoint:all-or-nothing",
  "a file that takes the place of another at any moment of a rewind is not removed",
  async () => {
    let places = 0;
    for (let replaceAt = 0, isOver = false; !isOver; replaceAt += 1) {
      await using dir = await tempDir();
      const file = dir.at("work/a/file");
      const files = { "a/file": "first", "a/other": "first" };
      const session = await changed(dir, files, () => {
        for (const name of [file, dir.at("work/a/other"), dir.at("work/a/made")])
          writeFileSync(name, "second");
      });
      let left = -1;
      const base: CheckpointDisk = watchedDisk(() => {
        if (left-- !== 0) return;
        for (const name of ["a/file", "a/made"]) {
          writeFileSync(dir.at("work/new"), "theirs");
          renameSync(dir.at("work/new"), dir.at("work", name));
        }
      });
      const options = { roots: [dir.at("work")], session, disk: base };
      const store = await openCheckpointStore(dir.at("state/checkpoints"), options);
      left = replaceAt;
      await store.rewind("n").catch(() => {});
      isOver = left >= 0;
      await store.close().catch(() => {});
      await using _ = await openCheckpointStore(dir.at("state/checkpoints"), {
        roots: [dir.at("work")],
        disk: fastDisk,
      });
      if (isOver) break;
      places += 1;
      const found = ["a/file", "a/made"].map((name) => readFileSync(dir.at("work", name), "utf8"));
      expect({ replaceAt, found }).toEqual({ replaceAt, found: ["theirs", "theirs"] });
    }
    expect(places).toBeGreaterThan(8);
  },
);

verifies(
  "checkpoint:read-only-folders",
  "an ordinary user gets a read-only folder back that a command removed, and loses one that it made",
  async () => {
    await using dir = await tempDir();
    const { chmod, chown } = await import("node:fs/promises");
    await chmod(dir.at(), 0o755);
    mkdirSync(dir.at("site"));
    if (isRoot) await chown(dir.at("site"), ORDINARY_USER, ORDINARY_USER);
    const program = new URL("read-only-program.ts", import.meta.url);
    expect(await runAsOrdinaryUser(program, dir.at("site"))).toEqual({
      done: true,
      modes: { old: "555", stays: "555" },
      files: ["old", "old/file", "stays", "stays/file"],
      failed: { modes: { made: "555", stays: "555" }, files: ["made", "made/file", "stays", "stays/file"] },
    });
    expect(statSync(dir.at("site/work/old")).isDirectory()).toBe(true);
  },
  { only: ["linux", "darwin"] },
);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import {
  atSize,
  type BuiltProgram,
  buildProgram,
  canMount,
  recordFigure,
  type TempDir,
  tempDir,
  verifies,
} from "@indus/testkit";
import { openCheckpointStore } from "induscode/deck";
import { afterAll, beforeAll, expect } from "vitest";
import type { CheckpointOutcome, CheckpointTask } from "./checkpoint-program.ts";
import { type PreparedRewind, rewindMaker, snapshot, watchedDisk } from "./rewind-site.ts";

const LONG = atSize({ quick: 60_000, full: 15 * 60_000 });

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram(new URL("checkpoint-program.ts", import.meta.url));
});
afterAll(() => program[Symbol.dispose]());

interface Ended {
  /** Undefined if it was killed. */
  readonly outcome: CheckpointOutcome | undefined;
  readonly signal: string | null;
}

/** Runs the program in a process of its own. `wrapper`: a command that runs the rest of its arguments. */
async function runTask(dir: TempDir, task: CheckpointTask, wrapper: readonly string[] = []): Promise<Ended> {
  const node = [process.execPath, "--max-old-space-size=64", program.path];
  const [command = process.execPath, ...args] = [...wrapper, ...node];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  child.stdin.end(JSON.stringify({ ...task, folder: dir.at("disk", "store"), work: dir.at("work") }));
  const output = await text(child.stdout);
  const [, signal] = await closed;
  return { outcome: output === "" ? undefined : (JSON.parse(output) as CheckpointOutcome), signal };
}

/** Checks that an interrupted rewind ends as a whole. Returns how it ended. */
async function expectWhole(dir: TempDir, prepared: PreparedRewind): Promise<string> {
  const [folder, work] = [dir.at("disk", "store"), dir.at("work")];
  await using next = await openCheckpointStore(folder, { roots: [work] });
  const [recovery] = next.recoveries;
  if (recovery?.state === "failed") expect.fail(recovery.message);
  const now = await snapshot(work);
  const isFinished = now.get("changed") === prepared.before.get("changed");
  expect(now).toEqual(isFinished ? prepared.before : prepared.after);
  if (recovery) expect(recovery.state).toBe(isFinished ? "finished" : "undone");
  if (isFinished) return "finished";
  // Nothing is lost: the rewind can be done again.
  await using again = await openCheckpointStore(folder, { roots: [work], session: prepared.session });
  expect(await again.rewind("n", { force: true })).toMatchObject({ done: true });
  expect(await snapshot(work)).toEqual(prepared.before);
  return "undone";
}

verifies(
  "faults:d16-kill",
  "a process that is killed before any change of a rewind, or of its end",
  async () => {
    await using dir = await tempDir();
    const [folder, work] = [dir.at("disk", "store"), dir.at("work")];
    const prepare = await rewindMaker(folder, work);
    const ended = { finished: 0, undone: 0 };
    const step = atSize({ quick: 31, full: 1 });
    let killed = 0;
    for (let killAt = 1; ; killAt += step) {
      const prepared = await prepare();
      const { signal, outcome } = await runTask(dir, { do: "rewind", session: prepared.session, killAt });
      if (signal === null) {
        expect(outcome).toEqual({ done: true });
        expect(await snapshot(work)).toEqual(prepared.before);
        break;
      }
      killed += 1;
      ended[(await expectWhole(dir, prepared)) as "finished" | "undone"] += 1;
    }
    expect(killed).toBeGreaterThan(2);
    expect(ended.finished).toBeGreaterThan(0);
    expect(ended.undone).toBeGreaterThan(0);
    recordFigure({
      what: "D16 kill -9 in the middle of a rewind",
      size: `${killed} kills, each before another change of the disk`,
      found: `${ended.finished} finished, ${ended.undone} undone by the next start; 0 halves, 0 files left over`,
    });
  },
  { only: ["linux", "darwin"], timeoutMs: LONG },
);

verifies(
  "faults:d16-kill",
  "a disk that dies at any change of a rewind, for good",
  async () => {
    await using dir = await tempDir();
    const [folder, work] = [dir.at("disk", "store"), dir.at("work")];
    const prepare = await rewindMaker(folder, work);
    for (let diesAt = 0; ; diesAt += atSize({ quick: 17, full: 1 })) {
      const prepared = await prepare();
      let left = -1;
      const disk = watchedDisk((operation) => {
        if (left === 0) throw Object.assign(new Error(`EIO: injected, ${operation}`), { code: "EIO" });
        if (left > 0) left -= 1;
      });
      const store = await openCheckpointStore(folder, { roots: [work], session: prepared.session, disk });
      left = diesAt;
      const result = await store.rewind("n", { force: true }).catch(() => undefined);
      const isDead = left === 0;
      await store.close().catch(() => {});
      if (!isDead) {
        expect(result).toMatchObject({ done: true });
        break;
      }
      await expectWhole(dir, prepared);
    }
  },
  { timeoutMs: LONG },
);

verifies(
  "checkpoint:all-or-nothing",
  "a change that fails once is undone, or does not matter",
  async () => {
    await using dir = await tempDir();
    const [folder, work] = [dir.at("disk", "store"), dir.at("work")];
    const prepare = await rewindMaker(folder, work);
    let failures = 0;
    for (const code of atSize({ quick: ["ENOSPC"], full: ["ENOSPC", "EIO", "EACCES", "EPERM"] })) {
      for (let failsAt = 0; ; failsAt += atSize({ quick: 13, full: 1 })) {
        const prepared = await prepare();
        let left = -1;
        const disk = watchedDisk((operation) => {
          if (left-- === 0) throw Object.assign(new Error(`${code}: injected, ${operation}`), { code });
        });
        const store = await openCheckpointStore(folder, { roots: [work], session: prepared.session, disk });
        left = failsAt;
        const result = await store.rewind("n", { force: true }).catch((thrown: unknown) => thrown);
        const hasFailed = left < 0;
        await store.close().catch(() => {});
        if (!hasFailed) break;
        failures += 1;
        const isDone = (result as { done?: boolean }).done === true;
        const isHalf = (result as { kind?: string }).kind === "failed";
        if (!isHalf)
          expect(await snapshot(work), `${code} at ${failsAt}`).toEqual(
            isDone ? prepared.before : prepared.after,
          );
        if (!isDone) await expectWhole(dir, prepared);
      }
    }
    recordFigure({
      what: "D16 rewind with the Nth change of the disk failing",
      size: `${failures} failures`,
      found: "0 halves: finished, put back, or finished by the next start",
    });
  },
  { timeoutMs: LONG },
);

/** A folder with files that a command changed, made and removed, and one outside with the same names. */
async function changedFolder(
  dir: TempDir,
  files: number,
): Promise<{ session: string; outside: Map<string, string> }> {
  const [folder, work] = [dir.at("disk", "store"), dir.at("work")];
  for (const place of [dir.at("work", ".git"), dir.at("work", "sub"), dir.at("outside")])
    await mkdir(place, { recursive: true });
  await writeFile(dir.at("work", ".git", "HEAD"), "ref: refs/heads/main");
  const names = Array.from({ length: files }, (_, n) => `f${n}`);
  for (const name of names) {
    await writeFile(dir.at("work", "sub", name), `before ${name}`);
    await writeFile(dir.at("outside", name), "not ours");
  }
  await using store = await openCheckpointStore(folder, { roots: [work] });
  const { signal } = new AbortController();
  await store.beginNode("n");
  await store.beginCommands({ signal });
  for (const [n, name] of names.entries()) {
    if (n % 3 === 0) await rm(dir.at("work", "sub", name));
    else await writeFile(dir.at("work", "sub", n % 3 === 1 ? name : `made-${name}`), "changed");
  }
  await store.endCommands({ signal });
  return { session: store.session, outside: await snapshot(dir.at("outside")) };
}

/** Exchanges a folder and a link to the one outside. */
function swapIn(dir: TempDir): () => void {
  let isSwapped = false;
  const [name, real] = [dir.at("work", "sub"), dir.at("work", "sub.real")];
  return () => {
    if (isSwapped) rmSync(name);
    renameSync(isSwapped ? real : name, isSwapped ? name : real);
    isSwapped = !isSwapped;
    if (isSwapped) symlinkSync(dir.at("outside"), name);
  };
}

verifies(
  "checkpoint:swapped-folder",
  "a folder that is swapped for a link before any change of a rewind, or before every one, leads nothing outside",
  async () => {
    for (let swapAt = 0, isOver = false; !isOver; swapAt += atSize({ quick: 19, full: 1 })) {
      await using dir = await tempDir();
      const { session, outside } = await changedFolder(dir, 4);
      const swap = swapIn(dir);
      let left = -1;
      const disk = watchedDisk(() => {
        if (left-- === 0) swap();
      });
      const options = { roots: [dir.at("work")], session, disk };
      await using store = await openCheckpointStore(dir.at("disk", "store"), options);
      left = swapAt;
      await store.rewind("n", { force: true }).catch(() => {});
      isOver = left >= 0;
      expect(await snapshot(dir.at("outside")), `swapped at ${swapAt}`).toEqual(outside);
    }
    await using dir = await tempDir();
    const files = atSize({ quick: 30, full: 600 });
    const { session, outside } = await changedFolder(dir, files);
    const swap = swapIn(dir);
    let isRewinding = false;
    const disk = watchedDisk(() => isRewinding && swap());
    const store = await openCheckpointStore(dir.at("disk", "store"), {
      roots: [dir.at("work")],
      session,
      disk,
    });
    isRewinding = true;
    await store.rewind("n", { force: true }).catch(() => {});
    await store.close().catch(() => {});
    await using next = await openCheckpointStore(dir.at("disk", "store"), { roots: [dir.at("work")] });
    expect(next.recoveries.length).toBeLessThan(2);
    expect(await snapshot(dir.at("outside"))).toEqual(outside);
    recordFigure({
      what: "D16 rewind of commands while a folder and a link to outside exchange their names at every change",
      size: `${files} files`,
      found: "0 of the files outside changed",
    });
  },
  { only: ["linux"], timeoutMs: LONG },
);

verifies(
  "faults:d16-full-disk",
  "commands are not followed on a full disk, which is said before they run, and nothing is left over",
  async () => {
    await using dir = await tempDir();
    await changedFolder(dir, 6);
    let isFull = true;
    const disk = watchedDisk((operation) => {
      if (isFull && operation === "writeNow")
        throw Object.assign(new Error("ENOSPC: injected"), { code: "ENOSPC" });
    });
    await using store = await openCheckpointStore(dir.at("store"), { roots: [dir.at("work")], disk });
    await store.beginNode("n");
    const { signal } = new AbortController();
    await expect(store.beginCommands({ signal })).rejects.toMatchObject({ kind: "no_space" });
    isFull = false;
    await store.beginCommands({ signal });
    await rm(dir.at("work", "sub"), { recursive: true });
    await store.endCommands({ signal });
    const { restored } = await store.rewind("n");
    expect(restored).toHaveLength(6);
  },
);

verifies(
  "faults:d16-full-disk",
  "a record that does not fit leaves nothing, and the earlier ones stay usable",
  async () => {
    await using dir = await tempDir();
    const [folder, work] = [dir.at("store"), dir.at("work")];
    await mkdir(work);
    await writeFile(dir.at("work", "a"), "new");
    let isFull = false;
    const disk = watchedDisk((operation) => {
      if (isFull && operation === "write")
        throw Object.assign(new Error("ENOSPC: injected"), { code: "ENOSPC" });
    });
    await using store = await openCheckpointStore(folder, { roots: [work], disk });
    await store.beginNode("n");
    await store.record(dir.at("work", "a"), { bytes: Buffer.from("old"), mode: 0o600 });
    await store.wrote(dir.at("work", "a"), { bytes: Buffer.from("new") });
    isFull = true;
    const refused = store.record(dir.at("work", "b"), { bytes: Buffer.from("other") });
    await expect(refused).rejects.toMatchObject({ kind: "no_space" });
    await expect(store.rewind("n")).rejects.toMatchObject({ kind: "no_space" });
    expect(await readFile(dir.at("work", "a"), "utf8")).toBe("new");
    isFull = false;
    expect(await readdir(dir.at("store", store.session))).toHaveLength(1);
    expect(await store.rewind("n")).toMatchObject({ done: true, restored: [dir.at("work", "a")] });
    expect(await snapshot(work)).toEqual(new Map([["a", "600 old"]]));
  },
);

verifies(
  "faults:d16-full-disk",
  "on a real disk of 256 KiB the write is refused when the store is full, and the rewind restores all files",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("disk"));
    await mkdir(dir.at("work"));
    for (let n = 0; n < 60; n += 1) await writeFile(dir.at("work", `f${n}`), Buffer.alloc(8192, `old ${n}`));
    const before = await snapshot(dir.at("work"));
    const filler = dir.at("disk", "filler");
    const mount =
      'mount -t tmpfs -o size=256k tiny "$0" && head -c 65536 /dev/zero >"$0/filler" && exec "$@"';
    const wrapper = ["unshare", "--mount", "/bin/sh", "-c", mount, dir.at("disk")];
    const { outcome } = await runTask(dir, { do: "fill", prefix: "f", files: 60, filler }, wrapper);
    expect(outcome?.refused).toMatch(/nothing was written.*no space left/i);
    expect(outcome?.written).toBeGreaterThan(5);
    expect(outcome?.done).toBe(true);
    expect(await snapshot(dir.at("work"))).toEqual(before);
    recordFigure({
      what: "D16 checkpoint store on a full tmpfs",
      size: `${outcome?.written} files until it was full`,
      found: "the next write was refused; with 64 KiB freed, the rewind restored all",
    });
  },
  { when: canMount() },
);

verifies(
  "checkpoint:processes",
  "two processes write and rewind in one store at the same time",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("work"));
    const files = atSize({ quick: 15, full: 300 });
    for (const prefix of ["a", "b"])
      for (let n = 0; n < files; n += 2)
        await writeFile(dir.at("work", `${prefix}${n}`), `old ${prefix} ${n}`);
    const before = await snapshot(dir.at("work"));
    const results = await Promise.all(
      ["a", "b"].map((prefix) => runTask(dir, { do: "fill", prefix, files })),
    );
    for (const { outcome } of results) expect(outcome).toEqual({ written: files, done: true });
    expect(await snapshot(dir.at("work"))).toEqual(before);
  },
  { timeoutMs: LONG },
);

verifies(
  "faults:d16-large",
  "a large file is kept and restored byte for byte by a process with a small heap",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("work"));
    const path = dir.at("work", "large");
    const size = atSize({ quick: 96, full: 2048 }) * 1024 * 1024 + 17;
    const file = await open(path, "w");
    await file.truncate(size);
    for (let at = 0; at < size; at += 7 * 1024 * 1024) await file.write(`piece at ${at}`, at);
    await file.close();
    const expected = await hashOf(path);
    const { outcome } = await runTask(dir, { do: "large", path });
    expect(outcome).toMatchObject({ done: true, hash: expected });
    expect((await stat(path)).size).toBe(size);
    expect(outcome?.maxRssMiB).toBeLessThan(160);
    recordFigure({
      what: "D16 checkpoint of a large file",
      size: `${Math.round(size / 1024 ** 2)} MiB`,
      found: `restored byte for byte; the process used ${Math.round(outcome?.maxRssMiB ?? 0)} MiB at most`,
    });
    await rm(path);
  },
  { timeoutMs: LONG },
);

async function hashOf(path: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  const { createReadStream } = await import("node:fs");
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

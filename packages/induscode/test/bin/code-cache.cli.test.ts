import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { isRoot, type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { cacheRoot } from "../../src/state/index.ts";
import { indusBin } from "./run-indus.ts";

/** From this version on Node keeps compiled code itself. */
const isOwn = !("enableCompileCache" in nodeModule);

/** Runs a command that loads several parts, and returns its output. */
function listTools(dir: TempDir, env: NodeJS.ProcessEnv): string {
  return runIn(dir, env, "tools");
}

function runIn(dir: TempDir, env: NodeJS.ProcessEnv, command: string): string {
  const { stdout, stderr, status } = spawnIn(dir, env, command);
  expect([stderr, status]).toEqual(["", 0]);
  return stdout;
}

function spawnIn(dir: TempDir, env: NodeJS.ProcessEnv, ...words: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [indusBin, ...words], {
    cwd: dir.path,
    env: { ...process.env, XDG_STATE_HOME: join(dir.path, "state"), XDG_CONFIG_HOME: dir.path, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
}

/** The files below a folder, each with what changes when it is replaced. */
function stampsIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return names.flatMap((name) => {
    const found = statSync(join(folder, name));
    return found.isFile() ? [`${name} ${found.ino} ${found.mtimeMs}`] : [];
  });
}

verifies(
  "command:code-cache",
  "the first run keeps the code of its parts, and the next one uses it",
  async () => {
    await using dir = await tempDir();
    const env = { HOME: dir.path, XDG_CACHE_HOME: "" };
    const folder = join(cacheRoot({ env }) ?? "", "code");
    const shown = listTools(dir, env);
    const kept = stampsIn(folder);
    expect(kept.length).toBeGreaterThan(2);
    if (process.platform !== "win32") expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(listTools(dir, env)).toBe(shown);
    // Code that V8 does not take is written again.
    expect(stampsIn(folder)).toEqual(kept);
  },
);

verifies(
  "command:code-cache",
  "other commands use the code that a gateway kept, whose heap has other settings",
  async () => {
    await using dir = await tempDir();
    const env = { HOME: dir.path, XDG_CACHE_HOME: "" };
    const folder = join(cacheRoot({ env }) ?? "", "code");
    expect(spawnIn(dir, env, "serve", "--stdio").status).toBe(0);
    const kept = stampsIn(folder);
    expect(kept.length).toBeGreaterThan(2);
    listTools(dir, env);
    expect(stampsIn(folder)).toEqual(expect.arrayContaining([...kept]));
  },
);

verifies(
  "command:code-cache",
  "damaged code is compiled and kept again, old code is removed",
  async () => {
    await using dir = await tempDir();
    const env = { XDG_CACHE_HOME: join(dir.path, "cache") };
    const shown = listTools(dir, env);
    const folder = join(dir.path, "cache/indusvx/code", `${process.version}-${process.arch}`);
    const files = readdirSync(folder).map((name) => join(folder, name));
    const whole = files.map((file) => readFileSync(file));
    const damages: readonly ((bytes: Buffer) => Buffer)[] = [
      // Without a checksum V8 ends the process.
      (bytes) => bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 64),
      (bytes) => bytes.subarray(0, bytes.length >> 1),
      () => Buffer.alloc(0),
    ];
    const damaged = whole.map((bytes, at) => damages[at % damages.length]?.(Buffer.from(bytes)) ?? bytes);
    for (const [at, file] of files.entries()) writeFileSync(file, damaged[at] ?? "");
    const old = join(folder, "part.00000000.cjs.bin");
    writeFileSync(old, "");
    utimesSync(old, 0, 0);
    expect(listTools(dir, env)).toBe(shown);
    for (const [at, file] of files.entries())
      expect(readFileSync(file).equals(damaged[at] ?? Buffer.alloc(0))).toBe(false);
    expect(existsSync(old)).toBe(false);
    const repaired = stampsIn(folder);
    expect(listTools(dir, env)).toBe(shown);
    expect(stampsIn(folder)).toEqual(repaired);
    // What cannot be kept leaves nothing.
    const main = files.find((file) => /main\.[\w-]{8}\.cjs\.bin$/.test(file)) ?? "";
    rmSync(main);
    mkdirSync(main);
    runIn(dir, env, "--version");
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual(files);
  },
  { when: isOwn },
);

verifies(
  "command:code-cache",
  "a folder that others can change, that came with other files, or that cannot be made, is not used",
  async () => {
    await using dir = await tempDir();
    const XDG_CACHE_HOME = join(dir.path, "cache");
    const folder = join(XDG_CACHE_HOME, "indusvx/code");
    const shown = runIn(dir, { XDG_CACHE_HOME: join(dir.path, "good") }, "--version");
    expect(readdirSync(join(dir.path, "good/indusvx/code")).length).toBe(1);
    const modes = [
      [folder, 0o777],
      // As in a project that was cloned.
      [folder, 0o755],
      // Who can change the parent can put another folder in its place.
      [join(XDG_CACHE_HOME, "indusvx"), 0o777],
    ] as const;
    for (const [path, mode] of modes) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(path, mode);
      expect(runIn(dir, { XDG_CACHE_HOME }, "--version")).toBe(shown);
      expect(readdirSync(folder)).toEqual([]);
      rmSync(XDG_CACHE_HOME, { recursive: true });
    }
    writeFileSync(XDG_CACHE_HOME, "not a folder");
    expect(runIn(dir, { XDG_CACHE_HOME }, "--version")).toBe(shown);
    for (const HOME of ["", "home"]) {
      expect(runIn(dir, { HOME, XDG_CACHE_HOME: "" }, "--version")).toBe(shown);
      expect(readdirSync(dir.path).toSorted()).toEqual(["cache", "good"]);
    }
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "command:code-cache",
  "root leaves nothing in the home folder of a user and runs nothing from there",
  async () => {
    await using dir = await tempDir();
    const HOME = join(dir.path, "home");
    mkdirSync(HOME);
    chownSync(HOME, 12_345, 12_345);
    runIn(dir, { HOME, XDG_CACHE_HOME: "" }, "--version");
    expect(readdirSync(HOME)).toEqual([]);
  },
  { when: isRoot },
);

verifies(
  "command:code-cache",
  "once a day it removes what other versions of Node left",
  async () => {
    await using dir = await tempDir();
    const XDG_CACHE_HOME = join(dir.path, "cache");
    const folder = join(XDG_CACHE_HOME, "indusvx/code");
    const old = join(folder, "v1.2.3-x64/part.bin");
    const empty = join(folder, "v1.2.2-x64");
    mkdirSync(join(folder, "v1.2.3-x64"), { recursive: true, mode: 0o700 });
    mkdirSync(empty);
    runIn(dir, { XDG_CACHE_HOME }, "--version");
    writeFileSync(old, "");
    writeFileSync(join(folder, "not a folder"), "");
    for (const path of [old, empty]) utimesSync(path, 0, 0);
    runIn(dir, { XDG_CACHE_HOME }, "--version");
    expect(existsSync(old)).toBe(true);
    utimesSync(folder, 0, 0);
    runIn(dir, { XDG_CACHE_HOME }, "--version");
    expect([old, empty].map((path) => existsSync(path))).toEqual([false, false]);
    expect(Date.now() - statSync(folder).mtimeMs).toBeLessThan(60_000);
  },
  { only: ["linux", "darwin"] },
);

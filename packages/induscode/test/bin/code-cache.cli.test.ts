import { spawnSync } from "node:child_process";
import {
  chmodSync,
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
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { cacheRoot } from "../../src/state/index.ts";
import { indusBin } from "./run-indus.ts";

/** From this version on Node keeps compiled code itself. */
const isOwn = !("enableCompileCache" in nodeModule);

/** Runs a command that loads several parts, and returns its output. */
function listTools(dir: TempDir, env: NodeJS.ProcessEnv): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [indusBin, "tools"], {
    cwd: dir.path,
    env: { ...process.env, XDG_STATE_HOME: join(dir.path, "state"), XDG_CONFIG_HOME: dir.path, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
  expect([stderr, status]).toEqual(["", 0]);
  return stdout;
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
  },
  { when: isOwn },
);

verifies(
  "command:code-cache",
  "a folder that others can change, or that cannot be made, is not used",
  async () => {
    await using dir = await tempDir();
    const XDG_CACHE_HOME = join(dir.path, "cache");
    const folder = join(XDG_CACHE_HOME, "indusvx/code");
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    const shown = listTools(dir, { XDG_CACHE_HOME });
    expect(readdirSync(folder)).toEqual([]);
    rmSync(XDG_CACHE_HOME, { recursive: true });
    writeFileSync(XDG_CACHE_HOME, "not a folder");
    expect(listTools(dir, { XDG_CACHE_HOME })).toBe(shown);
  },
  { only: ["linux", "darwin"] },
);

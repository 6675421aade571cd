import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { type TempDir, unflushedDisk } from "@indus/testkit";
import { openTreeSnapshots, type TreeSnapshots } from "induscode/conductor";
import { type DiskCheckpointStore, localCheckpointDisk, openCheckpointStore } from "induscode/deck";

const disk = unflushedDisk(localCheckpointDisk);

/** A work tree with one commit, a copy of one that git made in the first folder. */
export function makeWorkTree(shared: TempDir, top: string): string {
  const template = shared.at("template");
  const git = (...args: readonly string[]): void => {
    const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull };
    const done = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
      cwd: template,
      env,
    });
    if (done.status !== 0) throw new Error(String(done.stderr));
  };
  if (!lstatSync(template, { throwIfNoEntry: false })) {
    mkdirSync(template);
    git("init", "--quiet");
    writeFileSync(join(template, "first.txt"), "first\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "first");
  }
  cpSync(template, top, { recursive: true });
  return top;
}

export interface WatchedFolder extends AsyncDisposable {
  readonly store: DiskCheckpointStore;
  readonly snapshots: TreeSnapshots;
  /** The node of the turn. */
  readonly node: string;
}

/** What a session has for the files of one turn. */
export async function watchFolder(dir: TempDir, top: string): Promise<WatchedFolder> {
  const store = await openCheckpointStore(dir.at("state", "checkpoints"), { roots: [top], disk });
  const node = await store.beginNode();
  return {
    store,
    node,
    snapshots: openTreeSnapshots({ history: store }),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** A path in short: kind, exec bit and content. `absent` also if one of its folders is no real one. */
export function lookAt(top: string, path: string | Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path)]);
  for (let at = whole.indexOf(0x2f, top.length + 1); at !== -1; at = whole.indexOf(0x2f, at + 1))
    if (!lstatSync(whole.subarray(0, at), { throwIfNoEntry: false })?.isDirectory()) return "absent";
  const stats = lstatSync(whole, { throwIfNoEntry: false });
  if (!stats) return "absent";
  if (stats.isSymbolicLink()) return `link ${readlinkSync(whole)}`;
  if (stats.isDirectory()) return "folder";
  if (!stats.isFile()) return `other ${stats.mode}`;
  return `file ${stats.mode & 0o111 ? "x" : "-"} ${contentOf(whole)}`;
}

/** A file may be unreadable by now. */
function contentOf(path: Buffer): string {
  try {
    return readFileSync(path).toString("latin1");
  } catch {
    return "unreadable";
  }
}

/** A whole folder, with all modes, as text that can be compared. */
export function wholeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => `${name} ${lstatSync(join(folder, name)).mode} ${lookAt(folder, name)}`);
}

/** Runs before everything else on the PATH, and leaves a marker if anyone runs it. */
export function makeProgram(path: string, marker: string): string {
  writeFileSync(path, `#!/bin/sh\n: > "${marker}"\nexec cat\n`);
  chmodSync(path, 0o755);
  return path;
}

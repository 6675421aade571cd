import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";

/** Relative to the top, with `/`. Bytes if the name is not UTF-8. */
type AttackPath = string | Buffer;

/**
 * A hostile situation for the rewind of a turn. The order is: `before`, the snapshot, `command`, the end of the turn,
 * `between`, and the rewind, with `race` running beside it. The top is a fresh work tree with one commit; outside is
 * an empty folder that is not in it. What outside holds after `before` it holds, byte by byte and mode by mode, at
 * the end, in every case. No case may hang.
 */
export interface RewindAttack {
  readonly name: string;
  /**
   * restored: each path has the kind, bytes, link target and exec bit that it had before the command, or is absent as
   * it was then. named: the rewind, or a notice, names each path as not covered or in conflict, and leaves it as it
   * found it. either: one of both holds for each path; in a race only the promise about outside can be checked.
   */
  readonly expect: "restored" | "named" | "either";
  readonly paths: readonly AttackPath[];
  /** Paths which the rewind must leave as it found them, named or not. */
  readonly kept?: readonly AttackPath[];
  /** Why the case is meaningless in some places, and whether this is one of them. */
  readonly skip?: () => string | undefined;
  before(top: string, outside: string): void;
  command(top: string, outside: string): void;
  /** What another process does once the turn is over. */
  between?(top: string, outside: string): void;
  /** Settles once the race is on; it goes on until the signal aborts. `ended`: its process is gone. */
  race?(
    place: { readonly top: string; readonly outside: string },
    signal: AbortSignal,
  ): Promise<{ readonly ended: Promise<void> }>;
}

const windows = process.platform === "win32";
const posixOnly = (): string | undefined => (windows ? "the file system has no such thing" : undefined);
const linuxOnly = (): string | undefined =>
  process.platform === "linux" ? undefined : "the file system refuses the name";

function put(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function run(command: string, args: readonly string[], cwd: string): void {
  const done = spawnSync(command, args, {
    cwd,
    env: {
      ...process.env,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@example.invalid",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@example.invalid",
    },
  });
  if (done.status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${String(done.stderr)}`);
}

const git = (cwd: string, ...args: readonly string[]): void => run("git", args, cwd);
const remove = (...parts: readonly [string, ...string[]]): void =>
  rmSync(join(...parts), { recursive: true, force: true });

function repository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "--quiet", "--template=");
  put(join(folder, "data.txt"), "data\n");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "-m", "first");
}

/** A socket that nobody listens to: its process was killed, so it could not take the name away. */
function socket(folder: string, name: string): void {
  const script = `process.chdir(process.argv[1]);
require("node:net").createServer().listen(process.argv[2], () => process.kill(process.pid, "SIGKILL"));`;
  spawnSync(process.execPath, ["-e", script, folder, name]);
  if (!statSync(join(folder, name)).isSocket()) throw new Error(`no socket at ${name}`);
}

/** `dir/file.txt` in the tree, and a folder outside with files of the same names. */
function twins(top: string, outside: string): void {
  put(join(top, "dir", "file.txt"), "mine\n");
  put(join(top, "dir", "sub", "deep.txt"), "deep\n");
  put(join(outside, "file.txt"), "not yours\n");
  put(join(outside, "sub", "deep.txt"), "not yours either\n");
}

function editTwins(top: string): void {
  put(join(top, "dir", "file.txt"), "changed\n");
  put(join(top, "dir", "sub", "deep.txt"), "changed\n");
  put(join(top, "dir", "new.txt"), "created\n");
}

/** The name, a folder of the tree, stands for a link to `target` from now on; the folder has another name. */
function swap(top: string, name: string, target: string): void {
  renameSync(join(top, name), join(top, `${name}.real`));
  symlinkSync(target, join(top, name), "junction");
}

/**
 * Exchanges `name` and a link to `target` as fast as renames go. The child stops by itself when its stdin ends, so it
 * does not outlive a test that dies; at the end it puts the real thing back, or what the rewind made in its place.
 */
async function exchange(
  { top, name, target }: { readonly top: string; readonly name: string; readonly target: string },
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> }> {
  const script = `
const fs = require("node:fs");
const [name, target] = process.argv.slice(1);
const real = name + ".race-real", link = name + ".race-link";
let ended = false;
process.stdin.on("end", () => { ended = true; }).on("error", () => { ended = true; }).resume();
const attempt = (step) => { try { step(); return true; } catch { return false; } };
const relink = () => attempt(() => fs.readlinkSync(link)) ||
  attempt(() => { fs.rmSync(link, { recursive: true, force: true }); fs.symlinkSync(target, link, "junction"); });
relink();
process.stdout.write("racing\\n");
(function loop() {
  for (let round = 0; round < 200; round += 1) {
    if (attempt(() => fs.renameSync(name, real))) {
      attempt(() => fs.renameSync(link, name));
      attempt(() => fs.renameSync(name, link));
      // A rewind that made the name anew keeps it, and the race goes on with that.
      attempt(() => fs.renameSync(real, name)) ||
        attempt(() => fs.rmSync(real, { recursive: true, force: true }));
    }
  }
  relink();
  if (!ended) return setImmediate(loop);
  attempt(() => fs.lstatSync(link).isSymbolicLink() && fs.unlinkSync(link));
  attempt(() => fs.existsSync(name) || fs.renameSync(real, name));
})();`;
  signal.throwIfAborted();
  const child = spawn(process.execPath, ["-e", script, join(top, name), target], {
    cwd: top,
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  const stop = (): void => {
    child.stdin.end();
    // A child that a loaded machine keeps from ending by itself is killed.
    setTimeout(() => child.kill("SIGKILL"), 5_000).unref();
  };
  signal.addEventListener("abort", stop, { once: true });
  const ended = once(child, "exit").then(() => undefined);
  await Promise.race([once(child.stdout, "data"), ended]);
  child.stdout.resume();
  return { ended };
}

const FOLDERS: readonly RewindAttack[] = [
  {
    name: "the command swaps a folder for a link to outside",
    expect: "restored",
    paths: ["dir", "dir/file.txt", "dir/sub/deep.txt", "dir.real"],
    before: twins,
    command(top, outside) {
      editTwins(top);
      swap(top, "dir", outside);
    },
  },
  {
    name: "the command removes a folder and makes a link to outside of it",
    expect: "restored",
    paths: ["dir", "dir/file.txt", "dir/sub/deep.txt"],
    before: twins,
    command(top, outside) {
      remove(top, "dir");
      symlinkSync(outside, join(top, "dir"), "junction");
    },
  },
  {
    name: "a folder is swapped for a link to outside after the turn",
    expect: "named",
    paths: ["dir/file.txt"],
    kept: ["dir"],
    before: twins,
    command: editTwins,
    between: (top, outside) => swap(top, "dir", outside),
  },
  {
    name: "the folder above the folder of a file is swapped for a link to outside after the turn",
    expect: "named",
    paths: ["a/dir/file.txt"],
    kept: ["a"],
    before(top, outside) {
      twins(join(top, "a"), join(outside, "dir"));
    },
    command: (top) => editTwins(join(top, "a")),
    between: (top, outside) => swap(top, "a", outside),
  },
  {
    name: "the folder of a file that the command removed is a link to outside after the turn",
    expect: "named",
    paths: ["dir/file.txt"],
    kept: ["dir"],
    before: twins,
    command: (top) => remove(top, "dir"),
    between: (top, outside) => symlinkSync(outside, join(top, "dir"), "junction"),
  },
  {
    name: "the folder of files that the command created is a link to outside with the same files",
    expect: "named",
    paths: ["made/file.txt"],
    kept: ["made"],
    before(_top, outside) {
      put(join(outside, "file.txt"), "created\n");
    },
    command: (top) => put(join(top, "made", "file.txt"), "created\n"),
    between: (top, outside) => swap(top, "made", outside),
  },
  {
    name: "race: a folder and a link to outside exchange their names",
    expect: "either",
    paths: ["dir/file.txt"],
    before: twins,
    command: editTwins,
    race: ({ top, outside }, signal) => exchange({ top, name: "dir", target: outside }, signal),
  },
  {
    name: "race: the folder of files that the rewind removes exchanges its name with a link to outside",
    expect: "either",
    paths: ["made/file-0.txt"],
    before(_top, outside) {
      for (let count = 0; count < 50; count += 1)
        put(join(outside, `file-${String(count)}.txt`), "created\n");
    },
    command(top) {
      for (let count = 0; count < 50; count += 1)
        put(join(top, "made", `file-${String(count)}.txt`), "created\n");
    },
    race: ({ top, outside }, signal) => exchange({ top, name: "made", target: outside }, signal),
  },
  {
    name: "race: the folder of folders that the rewind makes exchanges its name with a link to outside",
    expect: "either",
    paths: ["dir/0/a/b/file.txt"],
    before(top) {
      for (let count = 0; count < 50; count += 1)
        put(join(top, "dir", String(count), "a/b/file.txt"), "mine\n");
    },
    command(top) {
      for (let count = 0; count < 50; count += 1) remove(top, "dir", String(count));
    },
    race: ({ top, outside }, signal) => exchange({ top, name: "dir", target: outside }, signal),
  },
  {
    name: "race: a file and a link to a file outside exchange their names",
    expect: "either",
    paths: ["file.txt"],
    before(top, outside) {
      put(join(top, "file.txt"), "mine\n");
      put(join(outside, "victim.txt"), "not yours\n");
      chmodSync(join(outside, "victim.txt"), 0o640);
    },
    command(top) {
      put(join(top, "file.txt"), "changed\n");
      chmodSync(join(top, "file.txt"), 0o755);
    },
    race: ({ top, outside }, signal) =>
      exchange({ top, name: "file.txt", target: join(outside, "victim.txt") }, signal),
  },
  {
    name: "a folder is renamed",
    expect: "restored",
    paths: ["dir/file.txt", "dir/sub/deep.txt", "moved/file.txt", "moved/sub/deep.txt"],
    before: twins,
    command: (top) => renameSync(join(top, "dir"), join(top, "moved")),
  },
  {
    name: "a folder becomes a file",
    expect: "restored",
    paths: ["dir/file.txt", "dir/sub/deep.txt"],
    before: twins,
    command(top) {
      remove(top, "dir");
      put(join(top, "dir"), "a file now\n");
    },
  },
  {
    name: "a file becomes a folder with files",
    expect: "restored",
    paths: ["file", "file/inner/one.txt"],
    before: (top) => put(join(top, "file"), "mine\n"),
    command(top) {
      remove(top, "file");
      put(join(top, "file", "inner", "one.txt"), "one\n");
    },
  },
  {
    name: "a file becomes a folder in which the user works after the turn",
    expect: "named",
    paths: ["file"],
    kept: ["file/user.txt"],
    before: (top) => put(join(top, "file"), "mine\n"),
    command(top) {
      remove(top, "file");
      put(join(top, "file", "one.txt"), "one\n");
    },
    between: (top) => put(join(top, "file", "user.txt"), "the user's\n"),
  },
  {
    name: "the user adds a file to a folder that the command created",
    expect: "restored",
    paths: ["made/one.txt"],
    kept: ["made/user.txt"],
    before: () => undefined,
    command: (top) => put(join(top, "made", "one.txt"), "one\n"),
    between: (top) => put(join(top, "made", "user.txt"), "the user's\n"),
  },
  {
    name: "a folder without files is created",
    expect: "either",
    paths: ["empty"],
    before: () => undefined,
    command: (top) => mkdirSync(join(top, "empty")),
  },
  {
    name: "a folder without files is removed",
    expect: "either",
    paths: ["empty"],
    before: (top) => mkdirSync(join(top, "empty")),
    command: (top) => remove(top, "empty"),
  },
  {
    name: "a folder is made unwritable",
    expect: "either",
    paths: ["dir/file.txt"],
    skip: () => (windows || process.getuid?.() === 0 ? "modes do not stop this user" : undefined),
    before: twins,
    command(top) {
      put(join(top, "dir", "file.txt"), "changed\n");
      chmodSync(join(top, "dir"), 0o555);
    },
  },
];

const FILES: readonly RewindAttack[] = [
  {
    name: "a file becomes a link to a file outside",
    expect: "restored",
    paths: ["file.txt"],
    skip: posixOnly,
    before(top, outside) {
      put(join(top, "file.txt"), "mine\n");
      put(join(outside, "victim.txt"), "not yours\n");
    },
    command(top, outside) {
      remove(top, "file.txt");
      symlinkSync(join(outside, "victim.txt"), join(top, "file.txt"));
    },
  },
  {
    name: "a file becomes a link to a file outside after the turn",
    expect: "named",
    paths: ["file.txt"],
    skip: posixOnly,
    before(top, outside) {
      put(join(top, "file.txt"), "mine\n");
      put(join(outside, "victim.txt"), "changed\n");
    },
    command: (top) => put(join(top, "file.txt"), "changed\n"),
    between(top, outside) {
      remove(top, "file.txt");
      symlinkSync(join(outside, "victim.txt"), join(top, "file.txt"));
    },
  },
  {
    name: "a removed file is a dangling link to outside after the turn, which writing would create",
    expect: "named",
    paths: ["file.txt"],
    skip: posixOnly,
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command: (top) => remove(top, "file.txt"),
    between: (top, outside) => symlinkSync(join(outside, "created.txt"), join(top, "file.txt")),
  },
  {
    name: "a link becomes a file",
    expect: "restored",
    paths: ["link"],
    skip: posixOnly,
    before: (top) => symlinkSync("somewhere", join(top, "link")),
    command(top) {
      remove(top, "link");
      put(join(top, "link"), "somewhere");
    },
  },
  {
    name: "a file becomes a link whose target is what the file said",
    expect: "restored",
    paths: ["file"],
    skip: posixOnly,
    before: (top) => put(join(top, "file"), "somewhere"),
    command(top) {
      remove(top, "file");
      symlinkSync("somewhere", join(top, "file"));
    },
  },
  {
    name: "a link to a file of the tree is made to point outside",
    expect: "restored",
    paths: ["link", "target.txt"],
    skip: posixOnly,
    before(top, outside) {
      put(join(top, "target.txt"), "target\n");
      put(join(outside, "victim.txt"), "not yours\n");
      symlinkSync("target.txt", join(top, "link"));
    },
    command(top, outside) {
      remove(top, "link");
      symlinkSync(join(outside, "victim.txt"), join(top, "link"));
    },
  },
  {
    name: "links are created: to outside, to a folder outside, dangling, and in a circle",
    expect: "restored",
    paths: ["to-file", "to-folder", "dangling", "circle-a", "circle-b"],
    skip: posixOnly,
    before: (_top, outside) => put(join(outside, "sub", "victim.txt"), "not yours\n"),
    command(top, outside) {
      symlinkSync(join(outside, "sub", "victim.txt"), join(top, "to-file"));
      symlinkSync(join(outside, "sub"), join(top, "to-folder"));
      symlinkSync("nowhere", join(top, "dangling"));
      symlinkSync("circle-b", join(top, "circle-a"));
      symlinkSync("circle-a", join(top, "circle-b"));
    },
  },
  {
    name: "links to outside and a dangling link are removed",
    expect: "restored",
    paths: ["to-file", "to-folder", "dangling"],
    skip: posixOnly,
    before(top, outside) {
      put(join(outside, "sub", "victim.txt"), "not yours\n");
      symlinkSync(join(outside, "sub", "victim.txt"), join(top, "to-file"));
      symlinkSync(join(outside, "sub"), join(top, "to-folder"));
      symlinkSync("nowhere", join(top, "dangling"));
    },
    command(top) {
      for (const name of ["to-file", "to-folder", "dangling"]) remove(top, name);
    },
  },
  {
    name: "a link to a folder outside becomes a folder with the same files",
    expect: "restored",
    paths: ["link", "link/victim.txt"],
    before(top, outside) {
      put(join(outside, "victim.txt"), "not yours\n");
      symlinkSync(outside, join(top, "link"), "junction");
    },
    command(top) {
      remove(top, "link");
      put(join(top, "link", "victim.txt"), "mine now\n");
    },
  },
  {
    name: "a file becomes a hard link of a file outside",
    expect: "restored",
    paths: ["file.txt"],
    before(top, outside) {
      put(join(top, "file.txt"), "mine\n");
      put(join(outside, "victim.txt"), "not yours\n");
    },
    command(top, outside) {
      remove(top, "file.txt");
      linkSync(join(outside, "victim.txt"), join(top, "file.txt"));
    },
  },
  {
    name: "a file of the same bytes becomes a hard link of a file outside, and the exec bit differs",
    expect: "restored",
    paths: ["file.sh"],
    skip: posixOnly,
    before(top, outside) {
      put(join(top, "file.sh"), "same\n");
      put(join(outside, "victim.sh"), "same\n");
      chmodSync(join(top, "file.sh"), 0o755);
      chmodSync(join(outside, "victim.sh"), 0o644);
    },
    command(top, outside) {
      remove(top, "file.sh");
      linkSync(join(outside, "victim.sh"), join(top, "file.sh"));
    },
  },
  {
    name: "a file that was a hard link of a file outside is replaced",
    expect: "restored",
    paths: ["file.txt"],
    before(top, outside) {
      put(join(outside, "shared.txt"), "shared\n");
      linkSync(join(outside, "shared.txt"), join(top, "file.txt"));
    },
    command(top) {
      remove(top, "file.txt");
      put(join(top, "file.txt"), "replaced\n");
    },
  },
  {
    name: "a file becomes a FIFO",
    expect: "restored",
    paths: ["file.txt"],
    skip: posixOnly,
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command(top) {
      remove(top, "file.txt");
      run("mkfifo", ["file.txt"], top);
    },
  },
  {
    name: "a file becomes a FIFO after the turn",
    expect: "named",
    paths: ["file.txt"],
    skip: posixOnly,
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command: (top) => put(join(top, "file.txt"), "changed\n"),
    between(top) {
      remove(top, "file.txt");
      run("mkfifo", ["file.txt"], top);
    },
  },
  {
    name: "a file becomes a socket",
    expect: "restored",
    paths: ["file.txt"],
    skip: posixOnly,
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command(top) {
      remove(top, "file.txt");
      socket(top, "file.txt");
    },
  },
  {
    name: "a FIFO is created",
    expect: "either",
    paths: ["pipe"],
    skip: posixOnly,
    before: () => undefined,
    command: (top) => run("mkfifo", ["pipe"], top),
  },
  {
    name: "a file is changed and made read-only",
    expect: "restored",
    paths: ["file.txt"],
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command(top) {
      put(join(top, "file.txt"), "changed\n");
      chmodSync(join(top, "file.txt"), 0o444);
    },
  },
  {
    name: "a file is changed and made unreadable",
    expect: "either",
    paths: ["file.txt"],
    skip: posixOnly,
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command(top) {
      put(join(top, "file.txt"), "changed\n");
      chmodSync(join(top, "file.txt"), 0o000);
    },
  },
  {
    name: "the exec bit is set on one file and taken from another",
    expect: "restored",
    paths: ["plain.sh", "tool.sh"],
    skip: posixOnly,
    before(top) {
      put(join(top, "plain.sh"), "plain\n");
      put(join(top, "tool.sh"), "tool\n");
      chmodSync(join(top, "tool.sh"), 0o755);
    },
    command(top) {
      chmodSync(join(top, "plain.sh"), 0o755);
      chmodSync(join(top, "tool.sh"), 0o644);
    },
  },
  {
    name: "the exec bit changes, and the repository is told not to look at it",
    expect: "restored",
    paths: ["tool.sh"],
    skip: posixOnly,
    before(top) {
      put(join(top, "tool.sh"), "tool\n");
      chmodSync(join(top, "tool.sh"), 0o755);
    },
    command(top) {
      appendFileSync(join(top, ".git", "config"), "[core]\n\tfileMode = false\n\tsymlinks = false\n");
      chmodSync(join(top, "tool.sh"), 0o644);
    },
  },
  {
    name: "a file changes, and keeps its size and its time",
    expect: "restored",
    paths: ["file.txt"],
    before(top) {
      put(join(top, "file.txt"), "old\n");
      utimesSync(join(top, "file.txt"), 1_000_000_000, 1_000_000_000);
    },
    command(top) {
      put(join(top, "file.txt"), "new\n");
      utimesSync(join(top, "file.txt"), 1_000_000_000, 1_000_000_000);
    },
  },
  {
    name: "a file of more than 8 MiB changes in one byte",
    expect: "either",
    paths: ["large.bin"],
    before: (top) => put(join(top, "large.bin"), randomBytes(8 * 1024 * 1024 + 1)),
    command(top) {
      const bytes = readFileSync(join(top, "large.bin"));
      bytes[4_000_000] = bytes[4_000_000]! ^ 1;
      put(join(top, "large.bin"), bytes);
    },
  },
  {
    name: "a file grows from small to more than 8 MiB",
    expect: "either",
    paths: ["grown.bin"],
    before: (top) => put(join(top, "grown.bin"), "small\n"),
    command: (top) => put(join(top, "grown.bin"), Buffer.alloc(8 * 1024 * 1024 + 1, 7)),
  },
  {
    name: "a file of more than 8 MiB is created",
    expect: "either",
    paths: ["created.bin"],
    before: () => undefined,
    command: (top) => put(join(top, "created.bin"), Buffer.alloc(8 * 1024 * 1024 + 1, 7)),
  },
  {
    name: "the user edits after the turn a file that the command changed",
    expect: "named",
    paths: ["file.txt"],
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command: (top) => put(join(top, "file.txt"), "changed\n"),
    between: (top) => put(join(top, "file.txt"), "edited\n"),
  },
  {
    name: "the user writes after the turn a file that the command removed",
    expect: "named",
    paths: ["file.txt"],
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command: (top) => remove(top, "file.txt"),
    between: (top) => put(join(top, "file.txt"), "written again\n"),
  },
];

/** Names that a command line, a line-based format or a pathspec reads as something else. */
const NAMES: readonly { readonly name: AttackPath; readonly skip?: () => string | undefined }[] = [
  { name: "-rf" },
  { name: "--" },
  { name: "--help.txt" },
  { name: "@" },
  { name: "HEAD" },
  { name: "[a-z].txt" },
  { name: "{a,b}.txt" },
  { name: "!not.txt" },
  { name: "#hash.txt" },
  { name: " leading.txt" },
  { name: "%2e%2e%2ffile" },
  { name: "$(touch x).txt" },
  { name: "nf\u0301c-\u00e9.txt" },
  { name: "\u202etxt.exe" },
  { name: "a/..b/...c" },
  { name: `${"d".repeat(60)}/`.repeat(30) + "deep.txt", skip: posixOnly },
  { name: "n".repeat(255), skip: posixOnly },
  ...[
    "trailing ",
    "trailing.",
    "new\nline.txt",
    "carriage\rreturn.txt",
    "tab\there.txt",
    "escape\u001b[31m.txt",
    ":(glob)**",
    ":(exclude)file",
    ":!file",
    ":/x",
    "*",
    "?",
    "back\\slash.txt",
    "..\\..\\up.txt",
    'double"quote.txt',
    '"quoted"',
    "C:/drive.txt",
    "nul",
  ].map((name) => ({ name, skip: posixOnly })),
  { name: Buffer.from("latin-\xe9.txt", "latin1"), skip: linuxOnly },
  { name: Buffer.from("bytes-\xff\xfe\x80", "latin1"), skip: linuxOnly },
];

function bytePath(top: string, name: AttackPath): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), typeof name === "string" ? Buffer.from(name) : name]);
}

const NAME_ATTACKS: readonly RewindAttack[] = NAMES.flatMap(({ name, skip }): readonly RewindAttack[] => {
  const shown = JSON.stringify((typeof name === "string" ? name : name.toString("latin1")).slice(0, 40));
  const shared = { paths: [name], expect: "restored" as const, ...(skip === undefined ? {} : { skip }) };
  const write = (top: string, text: string): void => {
    if (typeof name === "string") put(`${top}/${name}`, text);
    else writeFileSync(bytePath(top, name), text);
  };
  return [
    {
      ...shared,
      name: `a file named ${shown} changes`,
      before: (top) => write(top, "mine\n"),
      command: (top) => write(top, "changed\n"),
    },
    {
      ...shared,
      name: `a file named ${shown} is removed`,
      before: (top) => write(top, "mine\n"),
      command: (top) => rmSync(bytePath(top, name)),
    },
    {
      ...shared,
      name: `a file named ${shown} is created`,
      before: () => undefined,
      command: (top) => write(top, "created\n"),
    },
  ];
});

const CASES: readonly RewindAttack[] = [
  {
    name: "a file is renamed to another case",
    expect: "restored",
    paths: ["Read.md"],
    before: (top) => put(join(top, "Read.md"), "mine\n"),
    command: (top) => renameSync(join(top, "Read.md"), join(top, "READ.md")),
  },
  {
    name: "two files differ only in case, and the repository is told to ignore case",
    expect: "restored",
    paths: ["Read.md", "READ.md"],
    skip: linuxOnly,
    before(top) {
      put(join(top, "Read.md"), "one\n");
      put(join(top, "READ.md"), "two\n");
    },
    command(top) {
      appendFileSync(join(top, ".git", "config"), "[core]\n\tignoreCase = true\n");
      put(join(top, "Read.md"), "changed\n");
      put(join(top, "READ.md"), "changed too\n");
    },
  },
  {
    name: "a folder and a link to outside differ only in case",
    expect: "restored",
    paths: ["dir/file.txt", "DIR"],
    skip: linuxOnly,
    before: twins,
    command(top, outside) {
      editTwins(top);
      symlinkSync(outside, join(top, "DIR"));
    },
  },
  ...[".GIT/config", "git~1/config", ".g\u200cit/config", "a/.Git"].map(
    (name): RewindAttack => ({
      name: `git refuses the created file ${JSON.stringify(name)}, and another file changes`,
      expect: "restored",
      paths: ["file.txt"],
      skip: linuxOnly,
      before: (top) => put(join(top, "file.txt"), "mine\n"),
      command(top) {
        put(join(top, name), "made\n");
        put(join(top, "file.txt"), "changed\n");
      },
    }),
  ),
];

const IGNORES: readonly RewindAttack[] = [
  {
    name: "an ignored file changes",
    expect: "either",
    paths: [".env"],
    before(top) {
      put(join(top, ".gitignore"), ".env\n");
      put(join(top, ".env"), "mine\n");
    },
    command: (top) => put(join(top, ".env"), "changed\n"),
  },
  {
    name: "an ignored file is removed",
    expect: "either",
    paths: [".env"],
    before(top) {
      put(join(top, ".gitignore"), ".env\n");
      put(join(top, ".env"), "mine\n");
    },
    command: (top) => remove(top, ".env"),
  },
  {
    name: "a file becomes ignored, and changes",
    expect: "restored",
    paths: ["file.txt", ".gitignore"],
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command(top) {
      put(join(top, ".gitignore"), "*\n");
      put(join(top, "file.txt"), "changed\n");
    },
  },
  {
    name: "a file is created, and ignored by the same command",
    expect: "either",
    paths: ["created.txt", ".gitignore"],
    before: () => undefined,
    command(top) {
      put(join(top, ".gitignore"), "created.txt\n");
      put(join(top, "created.txt"), "created\n");
    },
  },
  {
    name: "an ignored file is no longer ignored: it was not created by the command",
    expect: "restored",
    paths: [".gitignore", ".env"],
    kept: [".env"],
    before(top) {
      put(join(top, ".gitignore"), ".env\n");
      put(join(top, ".env"), "the only copy\n");
    },
    command: (top) => remove(top, ".gitignore"),
  },
  {
    name: "an ignored folder is no longer ignored: its files were not created by the command",
    expect: "restored",
    paths: [".gitignore", "private/one.txt", "private/two/three.txt"],
    kept: ["private/one.txt", "private/two/three.txt"],
    before(top) {
      put(join(top, ".gitignore"), "private/\n");
      put(join(top, "private", "one.txt"), "the only copy\n");
      put(join(top, "private", "two", "three.txt"), "the only copy\n");
    },
    command: (top) => put(join(top, ".gitignore"), "# nothing\n"),
  },
  {
    name: "a file changes that was ignored and is no longer",
    expect: "named",
    paths: [".env"],
    before(top) {
      put(join(top, ".gitignore"), ".env\n");
      put(join(top, ".env"), "the only copy\n");
    },
    command(top) {
      put(join(top, ".gitignore"), "# nothing\n");
      put(join(top, ".env"), "changed\n");
    },
  },
  ...["info/exclude", "config"].map(
    (name): RewindAttack => ({
      name: `.git/${name} makes git ignore everything, and a file changes`,
      expect: "restored",
      paths: ["file.txt"],
      before: (top) => put(join(top, "file.txt"), "mine\n"),
      command(top) {
        if (name === "config") {
          put(join(top, ".git", "ignore-all"), "*\n");
          appendFileSync(
            join(top, ".git", "config"),
            `[core]\n\texcludesFile = ${JSON.stringify(join(top, ".git", "ignore-all"))}\n`,
          );
        } else put(join(top, ".git", name), "*\n");
        put(join(top, "file.txt"), "changed\n");
      },
    }),
  ),
  {
    name: ".git/info/exclude is emptied: what it ignored was not created by the command",
    expect: "restored",
    paths: ["notes.txt"],
    kept: ["notes.txt"],
    before(top) {
      put(join(top, ".git", "info", "exclude"), "notes.txt\n");
      put(join(top, "notes.txt"), "the only copy\n");
    },
    command: (top) => put(join(top, ".git", "info", "exclude"), ""),
  },
  ...[".gitignore", ".gitattributes"].map(
    (name): RewindAttack => ({
      name: `${name} becomes a FIFO, which a reader waits for, and a file changes`,
      expect: "restored",
      paths: ["file.txt", name],
      skip: posixOnly,
      before(top) {
        put(join(top, "file.txt"), "mine\n");
        put(join(top, name), "# nothing\n");
      },
      command(top) {
        remove(top, name);
        run("mkfifo", [name], top);
        put(join(top, "file.txt"), "changed\n");
      },
    }),
  ),
  {
    name: ".gitattributes changes line ends at the restore",
    expect: "restored",
    paths: ["file.txt", "unix.txt", ".gitattributes"],
    before(top) {
      put(join(top, "file.txt"), "one\r\ntwo\n");
      put(join(top, "unix.txt"), "$Id: mine $\n");
    },
    command(top) {
      put(join(top, ".gitattributes"), "* text eol=crlf ident\n");
      put(join(top, "file.txt"), "changed\n");
      put(join(top, "unix.txt"), "changed\n");
    },
  },
];

/** `file.txt` changes, and the repository does not help: the rewind restores the file nevertheless. */
function despite(
  name: string,
  harm: (top: string, outside: string) => void,
  prepare?: (top: string, outside: string) => void,
): RewindAttack {
  return {
    name,
    expect: "restored",
    paths: ["file.txt"],
    before(top, outside) {
      put(join(top, "file.txt"), "mine\n");
      prepare?.(top, outside);
    },
    command(top, outside) {
      put(join(top, "file.txt"), "changed\n");
      harm(top, outside);
    },
  };
}

const REPOSITORIES: readonly RewindAttack[] = [
  despite("a lock of the index is left behind", (top) => put(join(top, ".git", "index.lock"), "")),
  despite("the index is broken", (top) => put(join(top, ".git", "index"), "DIRCbroken")),
  despite("the configuration of the repository is broken", (top) =>
    put(join(top, ".git", "config"), "[broken\n"),
  ),
  despite("the file is marked assume-unchanged", (top) => {
    git(top, "add", "file.txt");
    git(top, "update-index", "--assume-unchanged", "file.txt");
  }),
  despite("the command commits what it did, and switches to another branch", (top) => {
    git(top, "checkout", "--quiet", "-b", "other");
    git(top, "add", "--all");
    git(top, "commit", "--quiet", "-m", "x");
  }),
  despite("the command collects all garbage", (top) => {
    for (const folder of ["refs/indus", "logs"]) remove(top, ".git", folder);
    git(top, "reflog", "expire", "--expire=now", "--all");
    git(top, "gc", "--quiet", "--prune=now");
  }),
  despite(
    "core.worktree of the repository names outside",
    (top, outside) =>
      appendFileSync(join(top, ".git", "config"), `[core]\n\tworktree = ${JSON.stringify(outside)}\n`),
    (_top, outside) => put(join(outside, "file.txt"), "not yours\n"),
  ),
  ...[
    { name: "renamed", harm: (top: string) => renameSync(join(top, ".git"), join(top, ".git-old")) },
    { name: "removed", harm: (top: string) => remove(top, ".git") },
    {
      name: "swapped for a file that names a repository outside",
      harm(top: string, outside: string) {
        renameSync(join(top, ".git"), join(top, ".git-old"));
        put(join(top, ".git"), `gitdir: ${join(outside, "other", ".git")}\n`);
      },
    },
    {
      name: "swapped for a link to a repository outside",
      harm(top: string, outside: string) {
        renameSync(join(top, ".git"), join(top, ".git-old"));
        symlinkSync(join(outside, "other", ".git"), join(top, ".git"), "junction");
      },
    },
  ].map(
    ({ name, harm }): RewindAttack => ({
      ...despite(`.git is ${name}`, harm, (_top, outside) => repository(join(outside, "other"))),
      expect: "either",
    }),
  ),
  {
    name: ".git/objects becomes a link to the objects of a repository outside",
    expect: "either",
    paths: ["file.txt"],
    before(top, outside) {
      put(join(top, "file.txt"), "mine\n");
      repository(join(outside, "other"));
    },
    command(top, outside) {
      put(join(top, "file.txt"), "changed\n");
      renameSync(join(top, ".git", "objects"), join(top, ".git", "objects.real"));
      symlinkSync(join(outside, "other", ".git", "objects"), join(top, ".git", "objects"), "junction");
    },
  },
  {
    name: "a file of a nested repository changes",
    expect: "either",
    paths: ["inner/data.txt", "inner/new.txt"],
    before: (top) => repository(join(top, "inner")),
    command(top) {
      put(join(top, "inner", "data.txt"), "changed\n");
      put(join(top, "inner", "new.txt"), "created\n");
    },
  },
  {
    name: "a nested repository is removed",
    expect: "either",
    paths: ["inner/data.txt"],
    before: (top) => repository(join(top, "inner")),
    command: (top) => remove(top, "inner"),
  },
  {
    name: "a nested repository is created over files that were there before",
    expect: "restored",
    paths: ["dir/file.txt"],
    before: twins,
    command(top) {
      put(join(top, "dir", "file.txt"), "changed\n");
      repository(join(top, "dir"));
    },
  },
  {
    name: "a repository without a commit appears, which git refuses to add, and a file changes",
    expect: "restored",
    paths: ["file.txt"],
    before: (top) => put(join(top, "file.txt"), "mine\n"),
    command(top) {
      mkdirSync(join(top, "unborn"));
      git(join(top, "unborn"), "init", "--quiet", "--template=");
      put(join(top, "unborn", "data.txt"), "data\n");
      put(join(top, "file.txt"), "changed\n");
    },
  },
  {
    name: "the files in .git of a nested repository change",
    expect: "either",
    paths: ["inner/.git/config", "inner/.git/hooks/pre-commit"],
    before: (top) => repository(join(top, "inner")),
    command(top) {
      appendFileSync(join(top, "inner", ".git", "config"), "[core]\n\tpager = x\n");
      put(join(top, "inner", ".git", "hooks", "pre-commit"), "#!/bin/sh\n");
    },
  },
  {
    name: "hooks and settings of the repository itself change",
    expect: "either",
    paths: [".git/config", ".git/hooks/pre-commit"],
    before: () => undefined,
    command(top) {
      appendFileSync(join(top, ".git", "config"), "[core]\n\tpager = x\n");
      put(join(top, ".git", "hooks", "pre-commit"), "#!/bin/sh\n");
    },
  },
  {
    name: "a file in the folder of a submodule changes",
    expect: "either",
    paths: ["sub/data.txt"],
    before(top) {
      repository(join(top, "sub"));
      put(join(top, ".gitmodules"), `[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n`);
      git(top, "add", "--all");
      git(top, "submodule", "--quiet", "absorbgitdirs", "sub");
      git(top, "commit", "--quiet", "-m", "sub");
    },
    command: (top) => put(join(top, "sub", "data.txt"), "changed\n"),
  },
  {
    name: "the folder of a submodule is swapped for a link to outside",
    expect: "either",
    paths: ["sub/data.txt"],
    before(top, outside) {
      repository(join(top, "sub"));
      git(top, "add", "sub");
      git(top, "commit", "--quiet", "-m", "sub");
      put(join(outside, "data.txt"), "not yours\n");
    },
    command: (top, outside) => swap(top, "sub", outside),
  },
];

export const REWIND_ATTACKS: readonly RewindAttack[] = [
  ...FOLDERS,
  ...FILES,
  ...NAME_ATTACKS,
  ...CASES,
  ...IGNORES,
  ...REPOSITORIES,
];

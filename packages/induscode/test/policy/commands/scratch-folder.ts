import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

/** Fills a folder with a small repository, and with programs and files that prepare an attack. */
export function fillScratchFolder(folder: string): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  for (const name of ["src", "bin", "nested"]) mkdirSync(join(folder, name));
  write("README.md", "alpha\nbeta\nexport the end\n");
  write("data.csv", "a,1\nb,2\n");
  write("src/a.ts", "export const a = 1; // TODO\n");
  write("src/b.ts", "export const b = 2;\n");
  git(folder, "init", "-q", "--template=", "-b", "main");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", "first");
  write("README.md", "alpha\nbeta\ngamma\nexport the end\n");
  git(folder, "commit", "-q", "-a", "-m", "second");
  git(folder, "branch", "other");
  git(folder, "tag", "v1");
  write("README.md", "alpha\nbeta\ngamma\ndelta\nexport the end\n");
  for (const name of ["ls", "git-ls"]) {
    write(`bin/${name}`, "#!/bin/sh\ntouch out\ncat\n");
    chmodSync(join(folder, "bin", name), 0o755);
  }
  write("bin/Makefile", "X := $(shell touch out)\nall:\n");
  write("bin/script.sed", "w out\n");
  write("-ox", "an option of sort, as the name of a file\n");
  write("big", "1234567890\n".repeat(5_000));
  execFileSync("tar", ["-cf", "data.tar", "README.md", "src"], { cwd: folder });
  hideRepository(join(folder, "nested"));
  git(folder, "config", "alias.mine", "!touch out");
  git(folder, "config", "user.name", "Ada");
  git(folder, "config", "user.email", "ada@example.com");
}

/** A folder that git takes for a repository, whose configuration names a program. A clone can contain it. */
function hideRepository(folder: string): void {
  git(folder, "init", "-q", "--template=", "--bare", ".");
  git(folder, "config", "core.bare", "false");
  git(folder, "config", "core.worktree", ".");
  git(folder, "config", "core.fsmonitor", "touch ../out;:");
}

/** Path → content and mode of every file and folder. Git rewrites its index with the times of files when it reads it. */
export function snapshotOf(folder: string): Map<string, string> {
  const rows = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name): [string, string] => {
    const path = join(folder, name);
    const info = lstatSync(path);
    const content = info.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
    return [name, `${info.mode} ${content}`];
  });
  return new Map(rows);
}

/** The paths that were made, changed or removed between two snapshots. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isFullSize, type TempDir, tempDir, verifies } from "@indus/testkit";
import { type DiskCheckpointStore, openCheckpointStore, type RewindReport } from "induscode/deck";
import { expect } from "vitest";
import { fastDisk } from "./rewind-site.ts";

const LARGE = 9 * 1024 * 1024;
const { signal } = new AbortController();

interface Project extends AsyncDisposable {
  readonly store: DiskCheckpointStore;
  readonly dir: TempDir;
  at(...parts: string[]): string;
  /** Writes files, with the folders that they are in. */
  put(files: Readonly<Record<string, string>>): void;
  git(...args: string[]): void;
  /** One turn whose command is this function. */
  turn(command: () => void | Promise<void>): Promise<string>;
  /** The same, and its rewind. */
  rewound(command: () => void | Promise<void>, options?: { readonly force?: boolean }): Promise<RewindReport>;
}

async function project(): Promise<Project> {
  const dir = await tempDir();
  const at = (...parts: string[]): string => dir.at("work", ...parts);
  execFileSync("git", ["init", "-q", at()]);
  const store = await openCheckpointStore(dir.at("store"), { roots: [at()], disk: fastDisk });
  const turn = async (command: () => void | Promise<void>): Promise<string> => {
    const node = await store.beginNode();
    await store.beginCommands({ signal });
    await command();
    await store.endCommands({ signal });
    return node;
  };
  return {
    store,
    dir,
    at,
    put: (files) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(at(name)), { recursive: true });
        writeFileSync(at(name), text);
      }
    },
    git: (...args) => void execFileSync("git", ["-C", at(), ...args]),
    turn,
    rewound: async (command, options) => store.rewind(await turn(command), options),
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

function makeLarge(path: string): void {
  writeFileSync(path, "large");
  truncateSync(path, LARGE);
}

verifies(
  "checkpoint:only-copy",
  "what a command moved from a place that is not kept stays where it is, and is named",
  async () => {
    await using p = await project();
    p.put({
      ".gitignore": "*.db\nmodules\n",
      "users.db": "users",
      "modules/pkg/index.js": "code",
      kept: "kept",
    });
    makeLarge(p.at("big.bin"));
    await wait(150); // Older than the commands by more than a tick.
    const report = await p.rewound(() => {
      renameSync(p.at("big.bin"), p.at("big2.bin"));
      renameSync(p.at("users.db"), p.at("users.bak"));
      renameSync(p.at(".git"), p.at(".git.bak"));
      renameSync(p.at("modules", "pkg", "index.js"), p.at("index.js"));
      renameSync(p.at("modules"), p.at("vendor"));
      renameSync(p.at("kept"), p.at("renamed"));
    });
    expect(report).toMatchObject({ done: true, removed: [p.at("renamed")], restored: [p.at("kept")] });
    const skipped = report.skipped.map(({ path }) => path);
    const moved = [".git.bak", "big2.bin", "index.js", "users.bak", "vendor"];
    expect(skipped).toEqual(expect.arrayContaining(moved.map((name) => p.at(name))));
    expect(readdirSync(p.at()).sort()).toEqual([...moved, ".gitignore", "kept"].sort());
    expect(existsSync(p.at(".git.bak", "HEAD")) && existsSync(p.at("vendor", "pkg"))).toBe(true);
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "checkpoint:only-copy",
  "a new file that may hold what was not kept and is gone stops a rewind, also one of an earlier turn, unless it is forced",
  async () => {
    await using p = await project();
    makeLarge(p.at("big.bin"));
    const first = await p.turn(() => copyFileSync(p.at("big.bin"), p.at("copy.bin")));
    await p.turn(() => rmSync(p.at("big.bin")));
    const conflicts = [{ path: p.at("copy.bin"), reason: "only_copy" }];
    expect(await p.store.rewind(first)).toMatchObject({ done: false, conflicts });
    expect(await p.store.rewind(first, { force: true })).toMatchObject({ removed: [p.at("copy.bin")] });
    p.put({ "a.txt": "a", ".gitignore": "*.db", "x.db": "only copy" });
    const over = await p.turn(() => renameSync(p.at("x.db"), p.at("a.txt")));
    const isOver = [{ path: p.at("a.txt"), reason: "only_copy" }];
    expect(await p.store.rewind(over)).toMatchObject({ done: false, conflicts: isOver });
    const copied = await p.rewound(() => {
      cpSync(p.at(".git"), p.at("copy", "of-git"), { recursive: true });
      rmSync(p.at(".git"), { recursive: true });
    });
    expect(copied.skipped).toEqual(
      expect.arrayContaining([{ path: p.at("copy", "of-git"), reason: "repository" }]),
    );
    expect(existsSync(p.at("copy", "of-git", "HEAD"))).toBe(true);
  },
);

verifies(
  "checkpoint:owner",
  "a file gets its owner back, or none of the bits that give the rights of its owner",
  async () => {
    await using p = await project();
    for (const name of ["removed", "replaced"]) {
      p.put({ [name]: "program" });
      chownSync(p.at(name), 1000, 1000);
      chmodSync(p.at(name), 0o4755);
    }
    await p.rewound(() => {
      for (const name of ["removed", "replaced"]) rmSync(p.at(name));
      p.put({ replaced: "by root" });
    });
    for (const name of ["removed", "replaced"]) {
      const { uid, gid, mode } = lstatSync(p.at(name));
      expect({ name, uid, gid, mode: mode & 0o7777 }).toEqual({ name, uid: 1000, gid: 1000, mode: 0o4755 });
    }
    // Whose it was is not known: it was gone when it was recorded.
    await p.store.beginNode();
    await p.store.record(p.at("unknown"), { bytes: Buffer.from("program"), mode: 0o6755 });
    await p.store.rewind(p.store.nodes.at(-1)?.id ?? "", { force: true });
    expect(lstatSync(p.at("unknown")).mode & 0o7777).toBe(0o755);
  },
  { when: process.getuid?.() === 0 },
);

verifies(
  "checkpoint:ignore-rules",
  "a folder is left as a whole only if its rules ignore everything in it, and files that git tracks are covered",
  async () => {
    await using p = await project();
    p.put({
      "src/.gitignore": ".gitignore\nlocal.txt",
      "src/main.c": "main",
      "dots/.gitignore": ".*",
      "dots/main.c": "main",
      "env/.gitignore": "*",
      "env/lib": "lib",
      "most/.gitignore": "*\n!kept",
      "most/kept": "kept",
      ".gitignore": "dist/\n*.gen\n",
      "dist/tracked.js": "tracked",
      "dist/deep/tracked.js": "tracked",
      "dist/other.js": "other",
      "a.gen": "tracked",
    });
    const tracked = ["a.gen", "dist/deep/tracked.js", "dist/tracked.js"];
    const covered = ["dots/main.c", "most/kept", "src/main.c", ...tracked].map((name) => p.at(name));
    for (const version of ["2", "4"]) {
      p.git("add", "--force", ...tracked);
      p.git("update-index", "--index-version", version);
      const report = await p.rewound(() => {
        for (const path of covered) writeFileSync(path, "changed");
        p.put({ "dist/other.js": "changed", "env/lib": "changed", "env/new": "new", "dist/new.js": "new" });
      });
      expect({ version, restored: [...report.restored].sort() }).toEqual({
        version,
        restored: covered.sort(),
      });
      expect(report.skipped).toEqual([{ path: p.at("dist/other.js"), reason: "ignored" }]);
      expect(existsSync(p.at("env/new")) && existsSync(p.at("dist/new.js"))).toBe(true);
      p.put({ "dist/other.js": "other" });
      rmSync(p.at("dist/new.js"));
    }
    // A damaged index names nothing, and hurts nothing.
    const index = readFileSync(p.at(".git/index"));
    for (let at = 0; at < index.length; at += 61) {
      writeFileSync(p.at(".git/index"), index.subarray(0, at));
      await p.turn(() => {});
    }
  },
);

verifies(
  "session:rewind-commands",
  "a folder with the name of a temporary file is covered, a new repository is named, and an empty .git changes no rule",
  async () => {
    await using p = await project();
    p.put({ ".gitignore": "*.log", "sub/a.log": "first", ".indus-1-A.tmp/file": "first" });
    mkdirSync(p.at("sub", ".git"));
    const report = await p.rewound(() => {
      p.put({ ".indus-1-A.tmp/file": "changed", "sub/a.log": "changed", "other/.git": "gitdir: /nowhere" });
    });
    expect(report.restored).toEqual([p.at(".indus-1-A.tmp/file")]);
    expect(report.skipped).toEqual(
      expect.arrayContaining([
        { path: p.at("sub/a.log"), reason: "ignored" },
        { path: p.at("other/.git"), reason: "repository" },
      ]),
    );
  },
);

verifies(
  "session:rewind-commands",
  "a new file that is too large to be compared is named as such, and forced away",
  async () => {
    await using p = await project();
    const node = await p.turn(() => {
      p.put({ huge: "" });
      truncateSync(p.at("huge"), 65 * 1024 * 1024);
    });
    const conflicts = [{ path: p.at("huge"), reason: "not_compared" }];
    expect(await p.store.rewind(node)).toMatchObject({ done: false, conflicts });
    expect(await p.store.rewind(node, { force: true })).toMatchObject({ removed: [p.at("huge")] });
  },
);

verifies(
  "checkpoint:rule-limits",
  "rules that need too much memory are refused in one line, and do not stop the rewind of the commands that wrote them",
  async () => {
    await using p = await project();
    const lines = "a\n".repeat(60_000);
    const node = await p.turn(() => p.put({ "one/.gitignore": lines, "two/.gitignore": lines, made: "" }));
    await p.store.beginNode();
    await expect(p.store.beginCommands({ signal })).rejects.toThrow(
      "its .gitignore files have more than 100000 lines or 4 MiB",
    );
    const { removed } = await p.store.rewind(node);
    expect([...removed].sort()).toEqual(
      ["made", "one/.gitignore", "two/.gitignore"].map((name) => p.at(name)),
    );
    expect(readdirSync(p.at())).toEqual([".git"]);
  },
);

verifies(
  "checkpoint:leftovers",
  "a snapshot that fails or is killed leaves no copies: not now, and not after the next start",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at("work/.git"), { recursive: true });
    writeFileSync(dir.at("work/.git/HEAD"), "ref: refs/heads/main");
    for (let n = 0; n < 12; n += 1) writeFileSync(dir.at("work", `f${n}`), `content ${n}`);
    let left = 8;
    const disk = {
      ...fastDisk,
      writeNow: (path: string, bytes: Uint8Array): void => {
        // What a process that is killed here leaves. Its lock is no longer held.
        if (--left === 0) {
          cpSync(dir.at("store"), dir.at("killed"), { recursive: true });
          for (const name of readdirSync(dir.at("killed")))
            if (name.endsWith(".lock")) rmSync(dir.at("killed", name));
          throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
        }
        fastDisk.writeNow(path, bytes);
      },
    };
    await using store = await openCheckpointStore(dir.at("store"), { roots: [dir.at("work")], disk });
    await store.beginNode("n");
    await expect(store.beginCommands({ signal })).rejects.toThrow("EIO");
    expect(readdirSync(dir.at("store", store.session))).toEqual([]);
    expect(readdirSync(dir.at("killed", store.session))).toHaveLength(7);
    await using _ = await openCheckpointStore(dir.at("killed"), { roots: [dir.at("work")], disk: fastDisk });
    expect(readdirSync(dir.at("killed", store.session))).toEqual([]);
    // A later turn keeps everything that it needs.
    const node = await store.beginNode();
    await store.beginCommands({ signal });
    for (let n = 0; n < 12; n += 1) rmSync(dir.at("work", `f${n}`));
    await store.endCommands({ signal });
    expect((await store.rewind(node)).restored).toHaveLength(12);
  },
);

verifies(
  "session:rewind-commands",
  "commands that make more than can be followed are undone as far as it goes, and the rest is named",
  async () => {
    await using p = await project();
    p.put({ kept: "first", "z/kept": "first" });
    const report = await p.rewound(() => {
      p.put({ kept: "changed", "z/kept": "changed" });
      mkdirSync(p.at("many"));
      for (let n = 0; n < 50_100; n += 1) symlinkSync("nowhere", p.at("many", `l${n}`));
    });
    expect(report).toMatchObject({ done: true, restored: [p.at("kept"), p.at("z/kept")] });
    expect(report.skipped).toHaveLength(1);
    expect(readdirSync(p.at("many")).length).toBeLessThan(200);
    await p.store.beginNode();
    for (let n = 0; n < 50_000; n += 1) mkdirSync(p.at("z", `d.${n}`));
    await expect(p.store.beginCommands({ signal })).rejects.toThrow("more than 50000 files and folders");
  },
  { when: isFullSize, timeoutMs: 300_000 },
);

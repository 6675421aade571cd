import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

/** A fresh work tree with one commit, and a script which leaves a marker and copies stdin to stdout. */
export interface AttackPlace {
  readonly top: string;
  /** An absolute path without spaces or other characters that a shell treats specially. */
  readonly program: string;
}

/** A work tree that makes a plain git run a program which the tree itself names. */
export interface GitProgramAttack {
  readonly name: string;
  /** Each is the arguments of a git command which, on a fresh place, runs the program (seen on git 2.39.5). */
  readonly naive: readonly (readonly string[])[];
  /** The folder in the tree where the naive command runs; the top if absent. */
  readonly folder?: string;
  /** What the naive command reads from stdin; nothing if absent. */
  readonly input?: string;
  /** A relative entry in front of the PATH of the naive command. */
  readonly path?: string;
  /** The naive command runs the program only if its stdout is a terminal. */
  readonly terminal?: true;
  prepare(place: AttackPlace): void;
}

/** A work tree in which a plain `git add --all` and checkout do not give back the bytes of a file. */
export interface ByteManglingAttack {
  readonly name: string;
  /** The file, relative to the top, which holds `bytes` once `prepare` returns. */
  readonly path: string;
  readonly bytes: Buffer;
  prepare(place: AttackPlace): void;
  /** What a command does between the snapshot and the restore, besides removing or changing the file. */
  after?(place: AttackPlace): void;
}

/** Every git that prepares an attack: no shell, no configuration but that of the repository. */
function git(cwd: string, args: readonly string[], input: string | Buffer = ""): string {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env;
  const done = spawnSync("git", args, {
    cwd,
    input,
    env: {
      ...env,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@example.invalid",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@example.invalid",
    },
  });
  if (done.status !== 0) {
    throw new Error(`git ${args.join(" ")} failed while an attack was prepared: ${String(done.stderr)}`);
  }
  return String(done.stdout).trim();
}

function put(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function executable(path: string, program: string): void {
  put(path, `#!/bin/sh\nexec "${program}" "$@"\n`);
  chmodSync(path, 0o755);
}

/** A value of a configuration file. */
const quoted = (value: string): string => `"${value.replace(/[\\"]/g, "\\$&")}"`;

/** Appended to a configuration file: always the last step, as a git that runs later runs the program. */
function configure(file: string, ...lines: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${lines.join("\n")}\n`);
}

const section = (name: string, ...keys: readonly (readonly [string, string])[]): string =>
  [`[${name}]`, ...keys.map(([key, value]) => `\t${key} = ${quoted(value)}`)].join("\n");

const clean = (program: string): string => section(`filter "x"`, ["clean", program]);
const fsmonitor = (program: string): string => section("core", ["fsmonitor", program]);

/** Same bytes, other time: git has to read the file again to know that it did not change. */
const touch = (path: string): void => utimesSync(path, 1_000_000_000, 1_000_000_000);

function commit(repository: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) put(join(repository, path), text);
  git(repository, ["add", "--force", "--", ...Object.keys(files)]);
  git(repository, ["commit", "--quiet", "--no-verify", "-m", "files"]);
}

/** `data.txt` is committed with the attribute `filter=x` and has another time than the index says. */
function filtered(top: string, attributes: string = ".gitattributes"): void {
  commit(top, { "data.txt": "data\n" });
  put(join(top, attributes), "data.txt filter=x\n");
  touch(join(top, "data.txt"));
}

/** A repository with one commit in a folder of the tree. */
function nested(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, ["init", "--quiet", "--template="]);
  commit(folder, { "data.txt": "data\n" });
}

/** A nested repository which the index of the outer one lists as a gitlink, as `git add --all` leaves it. */
function linked(top: string, name: string): string {
  nested(join(top, name));
  git(top, ["add", "--", name]);
  git(top, ["commit", "--quiet", "-m", "link"]);
  return join(top, name);
}

/** Turns a linked nested repository hostile: reading its state runs its clean filter. */
function filterIn(repository: string, program: string, gitDir: string = join(repository, ".git")): void {
  put(join(repository, ".gitattributes"), "data.txt filter=x\n");
  touch(join(repository, "data.txt"));
  configure(join(gitDir, "config"), clean(program));
}

/** Takes an object away, so that a repository with a promisor fetches it as soon as it is read. */
function forget(repository: string, object: string): void {
  const id = git(repository, ["rev-parse", object]);
  rmSync(join(repository, ".git", "objects", id.slice(0, 2), id.slice(2)));
}

const promisor = (...keys: readonly (readonly [string, string])[]): string =>
  [
    section("core", ["repositoryformatversion", "1"]),
    section("extensions", ["partialClone", "origin"]),
    section(`remote "origin"`, ["promisor", "true"], ...keys),
  ].join("\n");

/** A program for the other end of a connection: it does not wait for what git would say first. */
function mute(top: string, program: string, name: string = ".git/mute"): string {
  const path = join(top, name);
  put(path, `#!/bin/sh\nexec "${program}" "$@" </dev/null >/dev/null\n`);
  chmodSync(path, 0o755);
  return path;
}

const allowExt = section(`protocol "ext"`, ["allow", "always"]);

/** HEAD becomes a commit with a signature of the kind, which `program` is then asked to check. */
function signed(top: string, kind: string): void {
  const tree = git(top, ["rev-parse", "HEAD^{tree}"]);
  const who = "a <a@example.invalid> 1000000000 +0000";
  const text =
    `tree ${tree}\nauthor ${who}\ncommitter ${who}\n` +
    `gpgsig -----BEGIN ${kind}-----\n \n AAAA\n -----END ${kind}-----\n\nsigned\n`;
  git(top, ["update-ref", "HEAD", git(top, ["hash-object", "-t", "commit", "-w", "--stdin"], text)]);
}

/** A branch `side` with a commit that HEAD does not have. */
function side(top: string, files: Readonly<Record<string, string>>): void {
  const head = git(top, ["symbolic-ref", "--short", "HEAD"]);
  git(top, ["checkout", "--quiet", "-b", "side"]);
  commit(top, files);
  git(top, ["checkout", "--quiet", head]);
}

const inGit = (top: string, ...names: readonly string[]): string => join(top, ".git", ...names);
const config = (top: string): string => inGit(top, "config");

const READS = [["add", "--all"], ["status"], ["diff"]] as const;

/** Places that can hold the driver `x`, or the attribute that asks for it. */
const FILTERS: readonly GitProgramAttack[] = [
  {
    name: "clean filter in the configuration of the repository",
    naive: [
      ["add", "--all"],
      ["status"],
      ["diff"],
      ["diff-files", "-p"],
      ["diff", "HEAD"],
      ["ls-files", "--modified"],
      ["update-index", "--refresh"],
      ["hash-object", "data.txt"],
      ["hash-object", "--path=data.txt", "--stdin"],
      ["stash", "create"],
      ["describe", "--always", "--dirty"],
      ["commit", "--all", "-m", "x"],
    ],
    prepare({ top, program }) {
      filtered(top);
      configure(config(top), clean(program));
    },
  },
  {
    name: "clean filter for a file that is not in the index",
    naive: [
      ["add", "--all"],
      ["stash", "-u"],
    ],
    prepare({ top, program }) {
      put(join(top, "new.txt"), "new\n");
      put(join(top, ".gitattributes"), "* filter=x\n");
      configure(config(top), clean(program));
    },
  },
  {
    name: "required clean filter",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      configure(config(top), section(`filter "x"`, ["required", "true"], ["clean", program]));
    },
  },
  {
    name: "process filter in the configuration of the repository",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      configure(config(top), section(`filter "x"`, ["process", program]));
    },
  },
  {
    name: "drivers of the name that git-lfs uses",
    naive: READS,
    prepare({ top, program }) {
      commit(top, { "data.bin": "data\n" });
      put(join(top, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n");
      touch(join(top, "data.bin"));
      const keys = ["clean", "smudge", "process"].map((key) => [key, `${program} ${key} %f`] as const);
      configure(config(top), section(`filter "lfs"`, ...keys, ["required", "true"]));
    },
  },
  {
    name: "smudge filter for a file that is missing",
    naive: [
      ["checkout", "--", "."],
      ["restore", "."],
      ["checkout-index", "--all", "--force"],
      ["reset", "--hard"],
      ["archive", "HEAD"],
      ["cat-file", "--filters", "HEAD:data.txt"],
      ["worktree", "add", "--detach", "other"],
    ],
    prepare({ top, program }) {
      commit(top, { ".gitattributes": "data.txt filter=x\n", "data.txt": "data\n" });
      rmSync(join(top, "data.txt"));
      configure(config(top), section(`filter "x"`, ["smudge", program]));
    },
  },
  {
    name: "smudge filter that only the attributes in the index ask for",
    naive: [
      ["checkout", "--", "data.txt"],
      ["checkout-index", "--all"],
    ],
    prepare({ top, program }) {
      commit(top, { ".gitattributes": "data.txt filter=x\n", "data.txt": "data\n" });
      rmSync(join(top, "data.txt"));
      rmSync(join(top, ".gitattributes"));
      configure(config(top), section(`filter "x"`, ["smudge", program]));
    },
  },
  {
    name: "process filter at checkout",
    naive: [
      ["checkout", "--", "."],
      ["reset", "--hard"],
    ],
    prepare({ top, program }) {
      commit(top, { ".gitattributes": "data.txt filter=x\n", "data.txt": "data\n" });
      rmSync(join(top, "data.txt"));
      configure(config(top), section(`filter "x"`, ["process", program]));
    },
  },
  {
    name: "filter whose name has an equals sign, which an override by -c cannot say",
    naive: READS,
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      put(join(top, ".gitattributes"), "data.txt filter=a=b\n");
      touch(join(top, "data.txt"));
      configure(config(top), section(`filter "a=b"`, ["clean", program]));
    },
  },
  {
    name: "filter whose name has dots and upper case",
    naive: READS,
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      put(join(top, ".gitattributes"), "data.txt filter=A.clean.b\n");
      touch(join(top, "data.txt"));
      configure(config(top), section(`FILTER "A.clean.b"`, ["CLEAN", program]));
    },
  },
  {
    name: "filter whose name is not UTF-8",
    naive: READS,
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      put(join(top, ".gitattributes"), Buffer.from("data.txt filter=\xff\xfe\n", "latin1"));
      touch(join(top, "data.txt"));
      const text = section(`filter "\xff\xfe"`, ["clean", program]);
      appendFileSync(config(top), Buffer.from(`${text}\n`, "latin1"));
    },
  },
  {
    name: "filter in a configuration with a byte order mark and CRLF",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      const text = `[core]\nrepositoryformatversion = 0\nbare = false\n${clean(program)}\n`;
      writeFileSync(config(top), `\ufeff${text.replaceAll("\n", "\r\n")}`);
    },
  },
  {
    name: "filter asked for by info/attributes",
    naive: READS,
    prepare({ top, program }) {
      filtered(top, ".git/info/attributes");
      configure(config(top), clean(program));
    },
  },
  {
    name: "filter asked for by attributes in a subfolder",
    naive: READS,
    prepare({ top, program }) {
      commit(top, { "a/b/data.txt": "data\n" });
      put(join(top, "a", "b", ".gitattributes"), "* filter=x\n");
      touch(join(top, "a", "b", "data.txt"));
      configure(config(top), clean(program));
    },
  },
  {
    name: "filter asked for by core.attributesFile in the tree",
    naive: READS,
    prepare({ top, program }) {
      filtered(top, "harmless.txt");
      configure(config(top), section("core", ["attributesFile", join(top, "harmless.txt")]), clean(program));
    },
  },
  {
    name: "filter asked for by an attribute macro",
    naive: READS,
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      put(join(top, ".gitattributes"), "[attr]document filter=x\n*.txt document\n");
      touch(join(top, "data.txt"));
      configure(config(top), clean(program));
    },
  },
  {
    name: "filter in an included file of the tree",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      put(join(top, "more.cfg"), clean(program));
      configure(config(top), section("include", ["path", "../more.cfg"]));
    },
  },
  ...[
    `gitdir:**/.git`,
    "gitdir/i:**/.GIT",
    "onbranch:**",
    "hasconfig:remote.*.url:https://example.invalid/**",
  ].map(
    (condition): GitProgramAttack => ({
      name: `filter in a file included if ${condition}`,
      naive: READS,
      prepare({ top, program }) {
        filtered(top);
        put(join(top, "more.cfg"), clean(program));
        configure(
          config(top),
          section(`remote "o"`, ["url", "https://example.invalid/o"]),
          section(`includeIf "${condition}"`, ["path", "../more.cfg"]),
        );
      },
    }),
  ),
  {
    name: "filter in an include of an include",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      put(join(top, "one.cfg"), section("include", ["path", "two/two.cfg"]));
      put(join(top, "two", "two.cfg"), clean(program));
      configure(config(top), section("include", ["path", join(top, "one.cfg")]));
    },
  },
  {
    name: "filter in the configuration of the work tree (config.worktree)",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      put(inGit(top, "config.worktree"), clean(program));
      configure(
        config(top),
        section("core", ["repositoryformatversion", "1"]),
        section("extensions", ["worktreeConfig", "true"]),
      );
    },
  },
  {
    name: "filter in the configuration of a common folder that .git/commondir names",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      cpSync(inGit(top), join(top, "common"), { recursive: true });
      put(inGit(top, "commondir"), "../common\n");
      configure(join(top, "common", "config"), clean(program));
    },
  },
  {
    name: ".git is a file that names a folder of the tree",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      renameSync(inGit(top), join(top, "meta"));
      put(inGit(top), "gitdir: meta\n");
      configure(join(top, "meta", "config"), clean(program));
    },
  },
  {
    name: ".git is a link to a folder of the tree",
    naive: READS,
    prepare({ top, program }) {
      filtered(top);
      renameSync(inGit(top), join(top, "meta"));
      symlinkSync("meta", inGit(top));
      configure(join(top, "meta", "config"), clean(program));
    },
  },
  {
    name: "filter and an index with a sparse checkout",
    naive: [["add", "--all"], ["status"], ["sparse-checkout", "disable"]],
    prepare({ top, program }) {
      commit(top, { "in/data.txt": "data\n", "out/data.txt": "data\n", ".gitattributes": "* filter=x\n" });
      git(top, ["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
      touch(join(top, "in", "data.txt"));
      configure(
        config(top),
        section(`filter "x"`, ["clean", program], ["smudge", program], ["required", "true"]),
      );
    },
  },
  {
    name: "filter and a split index",
    naive: READS,
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      git(top, ["update-index", "--split-index"]);
      put(join(top, ".gitattributes"), "* filter=x\n");
      touch(join(top, "data.txt"));
      configure(config(top), section("core", ["splitIndex", "true"]), clean(program));
    },
  },
];

/** Repositories in the tree: git asks each that its index lists for its state, by a git that runs in it. */
const NESTED: readonly GitProgramAttack[] = [
  {
    name: "clean filter of a nested repository",
    naive: [
      ["add", "--all"],
      ["status"],
      ["diff"],
      ["diff", "HEAD"],
      ["diff-files"],
      ["diff-index", "HEAD"],
      ["commit", "--all", "-m", "x"],
      ["describe", "--always", "--dirty"],
    ],
    prepare({ top, program }) {
      filterIn(linked(top, "inner"), program);
    },
  },
  {
    name: "clean filter of a nested repository that the index does not list",
    naive: READS.slice(1),
    folder: "inner",
    prepare({ top, program }) {
      nested(join(top, "inner"));
      filterIn(join(top, "inner"), program);
    },
  },
  {
    name: "process filter of a nested repository",
    naive: READS,
    prepare({ top, program }) {
      const inner = linked(top, "inner");
      put(join(inner, ".gitattributes"), "* filter=x\n");
      touch(join(inner, "data.txt"));
      configure(config(inner), section(`filter "x"`, ["process", program], ["required", "true"]));
    },
  },
  {
    name: "clean filter of a repository nested in a nested repository",
    naive: READS,
    prepare({ top, program }) {
      nested(join(top, "inner"));
      const deepest = linked(join(top, "inner"), "deep");
      git(top, ["add", "--", "inner"]);
      git(top, ["commit", "--quiet", "-m", "link"]);
      filterIn(deepest, program);
    },
  },
  {
    name: "clean filter of a submodule whose repository is in .git/modules",
    naive: READS,
    prepare({ top, program }) {
      const inner = linked(top, "sub");
      commit(top, { ".gitmodules": `[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n` });
      git(top, ["submodule", "--quiet", "absorbgitdirs", "sub"]);
      configure(config(top), section(`submodule "sub"`, ["active", "true"]));
      filterIn(inner, program, inGit(top, "modules", "sub"));
    },
  },
  {
    name: "clean filter of a nested repository whose .git file names another folder of the tree",
    naive: READS,
    prepare({ top, program }) {
      const inner = linked(top, "inner");
      renameSync(join(inner, ".git"), join(top, "elsewhere"));
      put(join(inner, ".git"), "gitdir: ../elsewhere\n");
      filterIn(inner, program, join(top, "elsewhere"));
    },
  },
  {
    name: "clean filter of a nested repository whose .git is a link",
    naive: READS,
    prepare({ top, program }) {
      const inner = linked(top, "inner");
      renameSync(join(inner, ".git"), join(top, "elsewhere"));
      symlinkSync("../elsewhere", join(inner, ".git"));
      filterIn(inner, program, join(top, "elsewhere"));
    },
  },
  {
    name: "a folder of plain files that became a repository after it was listed as a gitlink",
    naive: [["status"], ["diff"]],
    prepare({ top, program }) {
      const id = git(top, ["rev-parse", "HEAD"]);
      git(top, ["update-index", "--add", "--cacheinfo", `160000,${id},plain`]);
      git(top, ["commit", "--quiet", "-m", "link"]);
      nested(join(top, "plain"));
      filterIn(join(top, "plain"), program);
    },
  },
  {
    name: "fsmonitor of a nested repository",
    naive: READS,
    prepare({ top, program }) {
      configure(config(linked(top, "inner")), fsmonitor(program));
    },
  },
  {
    name: "fsmonitor of a repository nested in a nested repository",
    naive: READS,
    prepare({ top, program }) {
      nested(join(top, "inner"));
      const deepest = linked(join(top, "inner"), "deep");
      git(top, ["add", "--", "inner"]);
      git(top, ["commit", "--quiet", "-m", "link"]);
      configure(config(deepest), fsmonitor(program));
    },
  },
  {
    name: "fsmonitor of a nested repository that the index does not list",
    naive: [["status"], ["ls-files", "--others"], ["diff"]],
    folder: "inner",
    prepare({ top, program }) {
      nested(join(top, "inner"));
      configure(config(join(top, "inner")), fsmonitor(program));
    },
  },
  {
    name: "post-index-change hook of a nested repository",
    naive: [["status"]],
    folder: "inner",
    prepare({ top, program }) {
      const inner = linked(top, "inner");
      touch(join(inner, "data.txt"));
      executable(join(inner, ".git", "hooks", "post-index-change"), program);
    },
  },
  {
    name: "linked work tree in the tree, with a configuration of its own",
    naive: READS,
    prepare({ top, program }) {
      git(top, ["worktree", "add", "--quiet", "--detach", "other"]);
      git(top, ["add", "--", "other"]);
      put(inGit(top, "worktrees", "other", "config.worktree"), fsmonitor(program));
      configure(
        config(top),
        section("core", ["repositoryformatversion", "1"]),
        section("extensions", ["worktreeConfig", "true"]),
      );
    },
  },
  {
    name: "external diff of a nested repository, shown by diff.submodule",
    naive: [["diff"], ["diff", "HEAD"]],
    prepare({ top, program }) {
      const inner = linked(top, "inner");
      put(join(inner, "data.txt"), "other\n");
      configure(config(inner), section("diff", ["external", program]));
      configure(config(top), section("diff", ["submodule", "diff"]));
    },
  },
  {
    name: "signature program of a nested repository, run by status.submoduleSummary",
    naive: [["status"]],
    prepare({ top, program }) {
      const inner = linked(top, "inner");
      signed(inner, "PGP SIGNATURE");
      git(inner, ["commit", "--quiet", "--allow-empty", "-m", "later"]);
      configure(
        config(inner),
        section("gpg", ["program", program]),
        section("log", ["showSignature", "true"]),
      );
      configure(config(top), section("status", ["submoduleSummary", "true"]));
    },
  },
  {
    name: "nested repository that fetches a missing object as soon as its state is read",
    naive: [["status"], ["diff"], ["add", "--all"]],
    prepare({ top, program }) {
      const inner = linked(top, "inner");
      forget(inner, "HEAD^{tree}");
      configure(config(inner), promisor(["url", `ext::${mute(top, program)} %S`]), allowExt);
    },
  },
  {
    name: "submodule whose update is a command",
    naive: [["submodule", "update"]],
    prepare({ top, program }) {
      const inner = linked(top, "sub");
      commit(top, { ".gitmodules": `[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n` });
      git(inner, ["commit", "--quiet", "--allow-empty", "-m", "later"]);
      configure(
        config(top),
        section(`submodule "sub"`, ["active", "true"], ["url", inner], ["update", `!${program}`]),
      );
    },
  },
  {
    name: "submodule that is fetched with the outer repository",
    naive: [["fetch", "--recurse-submodules", "origin"]],
    prepare({ top, program }) {
      const inner = linked(top, "sub");
      commit(top, { ".gitmodules": `[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n` });
      configure(
        config(top),
        section(`submodule "sub"`, ["active", "true"], ["url", inner]),
        section(`remote "origin"`, ["url", top], ["fetch", "+refs/heads/*:refs/remotes/origin/*"]),
      );
      configure(
        config(inner),
        section(`remote "origin"`, ["url", `ext::${mute(top, program)} %S`]),
        allowExt,
      );
    },
  },
  {
    name: "hook of a submodule, run by a checkout that recurses",
    naive: [
      ["checkout", "--force", "HEAD~1"],
      ["reset", "--hard", "HEAD~1"],
    ],
    prepare({ top, program }) {
      const inner = linked(top, "sub");
      commit(top, { ".gitmodules": `[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n` });
      git(top, ["submodule", "--quiet", "absorbgitdirs", "sub"]);
      git(inner, ["commit", "--quiet", "--allow-empty", "-m", "later"]);
      git(top, ["commit", "--quiet", "--all", "-m", "later"]);
      executable(inGit(top, "modules", "sub", "hooks", "post-index-change"), program);
      configure(
        config(top),
        section(`submodule "sub"`, ["active", "true"], ["url", inner]),
        section("submodule", ["recurse", "true"]),
      );
    },
  },
];

/** The folder looks like a bare repository: a HEAD, objects and refs, and a configuration of the attacker. */
function bare(folder: string, program: string): void {
  for (const name of ["objects", "refs", "src"]) mkdirSync(join(folder, name), { recursive: true });
  put(join(folder, "HEAD"), "ref: refs/heads/main\n");
  put(
    join(folder, "config"),
    `${section("core", ["repositoryformatversion", "0"], ["bare", "false"], ["worktree", "src"], ["fsmonitor", program])}\n`,
  );
}

const MONITORS: readonly GitProgramAttack[] = [
  {
    name: "core.fsmonitor in the configuration of the repository",
    naive: [
      ["add", "--all"],
      ["status"],
      ["diff"],
      ["diff-files"],
      ["diff-index", "HEAD"],
      ["ls-files"],
      ["ls-files", "--others", "--exclude-standard"],
      ["update-index", "--refresh"],
      ["stash", "create"],
      ["checkout", "--", "."],
      ["write-tree"],
      ["describe", "--always", "--dirty"],
      ["check-attr", "--all", "data.txt"],
      ["check-ignore", "data.txt"],
      ["rm", "--cached", "data.txt"],
      ["grep", "data"],
      ["reset"],
    ],
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      configure(config(top), fsmonitor(program));
    },
  },
  {
    name: "core.fsmonitor, protocol 1, and an index that has the extension already",
    naive: [["status"], ["ls-files", "-f"], ["add", "--all"]],
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      git(top, ["-c", `core.fsmonitor=${join(top, "missing")}`, "update-index", "--fsmonitor"]);
      configure(config(top), section("core", ["fsmonitor", program], ["fsmonitorHookVersion", "1"]));
    },
  },
  {
    name: "core.fsmonitor is a path in the tree",
    naive: READS,
    prepare({ top, program }) {
      executable(join(top, "tools", "watch"), program);
      configure(config(top), fsmonitor("tools/watch"));
    },
  },
  {
    name: "core.fsmonitor is the hook fsmonitor-watchman",
    naive: READS,
    prepare({ top, program }) {
      executable(inGit(top, "hooks", "fsmonitor-watchman"), program);
      configure(config(top), fsmonitor(".git/hooks/fsmonitor-watchman"));
    },
  },
  {
    name: "core.fsmonitor in config.worktree",
    naive: READS,
    prepare({ top, program }) {
      put(inGit(top, "config.worktree"), fsmonitor(program));
      configure(
        config(top),
        section("core", ["repositoryformatversion", "1"]),
        section("extensions", ["worktreeConfig", "true"]),
      );
    },
  },
  {
    name: "core.fsmonitor in an included file, after a value that switches it off",
    naive: READS,
    prepare({ top, program }) {
      put(join(top, "more.cfg"), fsmonitor(program));
      configure(
        config(top),
        section("core", ["fsmonitor", "false"]),
        section("include", ["path", "../more.cfg"]),
      );
    },
  },
  {
    name: "a folder of the tree is a bare repository",
    naive: [["status"], ["add", "--all"], ["ls-files"]],
    folder: "docs",
    prepare({ top, program }) {
      bare(join(top, "docs"), program);
    },
  },
  {
    name: "the work tree itself is made a bare repository, its .git no longer valid",
    naive: [["status"], ["add", "--all"], ["ls-files"]],
    prepare({ top, program }) {
      rmSync(inGit(top, "HEAD"));
      bare(top, program);
    },
  },
  {
    name: "the work tree is made a bare repository, its .git renamed",
    naive: [["status"], ["add", "--all"], ["ls-files"]],
    prepare({ top, program }) {
      renameSync(inGit(top), join(top, "old"));
      bare(top, program);
    },
  },
  {
    name: "a new .git takes the place of the one that the session started with",
    naive: [["status"], ["add", "--all"], ["ls-files"]],
    prepare({ top, program }) {
      renameSync(inGit(top), join(top, "old"));
      bare(inGit(top), program);
      writeFileSync(config(top), `${section("core", ["bare", "false"], ["fsmonitor", program])}\n`);
    },
  },
];

/** A hook, the commands that run it, and what they need. */
const HOOKS: readonly (readonly [string, GitProgramAttack["naive"], ((top: string) => void)?])[] = [
  [
    "post-index-change",
    [
      ["add", "--all"],
      ["status"],
      ["update-index", "--refresh"],
      ["read-tree", "HEAD"],
      ["checkout", "--", "."],
    ],
    (top) => {
      commit(top, { "data.txt": "data\n" });
      touch(join(top, "data.txt"));
      put(join(top, "new.txt"), "new\n");
    },
  ],
  [
    "reference-transaction",
    [
      ["update-ref", "refs/x/y", "HEAD"],
      ["tag", "x"],
      ["commit", "--allow-empty", "-m", "x"],
      ["worktree", "add", "--detach", "other"],
    ],
  ],
  [
    "post-checkout",
    [
      ["checkout", "--", "."],
      ["checkout", "--detach"],
      ["worktree", "add", "--detach", "other"],
    ],
    (top) => commit(top, { "data.txt": "data\n" }),
  ],
  [
    "pre-auto-gc",
    [
      ["gc", "--auto"],
      ["maintenance", "run", "--auto"],
    ],
    (top) => {
      for (const digit of "0123") put(inGit(top, "objects", "17", digit.repeat(38)), "");
      configure(config(top), section("gc", ["auto", "1"], ["autoDetach", "false"]));
    },
  ],
  ["pre-commit", [["commit", "--allow-empty", "-m", "x"]]],
  ["prepare-commit-msg", [["commit", "--allow-empty", "-m", "x"]]],
  ["commit-msg", [["commit", "--allow-empty", "-m", "x"]]],
  ["post-commit", [["commit", "--allow-empty", "-m", "x"]]],
  ["post-rewrite", [["commit", "--amend", "-m", "x"]]],
  ["post-merge", [["merge", "side"]], (top) => side(top, { "side.txt": "side\n" })],
  [
    "pre-merge-commit",
    [["merge", "--no-ff", "-m", "x", "side"]],
    (top) => side(top, { "side.txt": "side\n" }),
  ],
  ["pre-rebase", [["rebase", "side"]], (top) => side(top, { "side.txt": "side\n" })],
  ["pre-push", [["push", "./inner", "HEAD:refs/heads/pushed"]], (top) => nested(join(top, "inner"))],
];

const HOOK_ATTACKS: readonly GitProgramAttack[] = [
  ...HOOKS.map(
    ([hook, naive, setUp]): GitProgramAttack => ({
      name: `hook ${hook}`,
      naive,
      prepare({ top, program }) {
        setUp?.(top);
        executable(inGit(top, "hooks", hook), program);
      },
    }),
  ),
  {
    name: "core.hooksPath in the tree",
    naive: [
      ["add", "--all"],
      ["read-tree", "HEAD"],
      ["update-ref", "refs/x/y", "HEAD"],
    ],
    prepare({ top, program }) {
      put(join(top, "new.txt"), "new\n");
      for (const hook of ["post-index-change", "reference-transaction"]) {
        executable(join(top, "tools", hook), program);
      }
      configure(config(top), section("core", ["hooksPath", "tools"]));
    },
  },
];

/** `data.txt` differs from the index, and has the attribute `diff=x`. */
function differing(top: string): void {
  commit(top, { "data.txt": "data\n" });
  put(join(top, ".gitattributes"), "*.txt diff=x merge=x\n");
  put(join(top, "data.txt"), "other\n");
}

const DIFFS: readonly GitProgramAttack[] = [
  {
    name: "diff.external",
    naive: [
      ["diff"],
      ["diff", "HEAD"],
      ["log", "-p", "--ext-diff"],
      ["show", "--ext-diff"],
      ["diff", "--stat", "--ext-diff", "-p"],
    ],
    prepare({ top, program }) {
      differing(top);
      configure(config(top), section("diff", ["external", program]));
    },
  },
  {
    name: "diff driver with a command",
    naive: [["diff"], ["diff", "HEAD"], ["diff-files", "-p", "--ext-diff"]],
    prepare({ top, program }) {
      differing(top);
      configure(config(top), section(`diff "x"`, ["command", program]));
    },
  },
  {
    name: "diff driver with a textconv",
    naive: [
      ["diff"],
      ["diff", "HEAD"],
      ["log", "-p"],
      ["show"],
      ["blame", "data.txt"],
      ["cat-file", "--textconv", "HEAD:data.txt"],
      ["grep", "--textconv", "data"],
      ["show", "--textconv", "HEAD:data.txt"],
      ["log", "-Gdata"],
    ],
    prepare({ top, program }) {
      differing(top);
      configure(config(top), section(`diff "x"`, ["textconv", program]));
    },
  },
  {
    name: "diff driver with a textconv whose results are kept as notes",
    naive: [["log", "-p"], ["show"], ["diff"]],
    prepare({ top, program }) {
      differing(top);
      configure(config(top), section(`diff "x"`, ["textconv", program], ["cachetextconv", "true"]));
    },
  },
  {
    name: "merge driver",
    naive: [
      ["merge", "-m", "x", "side"],
      ["merge-tree", "--write-tree", "HEAD", "side"],
      ["cherry-pick", "side"],
    ],
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n", ".gitattributes": "data.txt merge=x\n" });
      side(top, { "data.txt": "side\n" });
      commit(top, { "data.txt": "main\n" });
      configure(config(top), section(`merge "x"`, ["driver", `${program} %O %A %B`]));
    },
  },
  {
    name: "merge.default names a driver",
    naive: [
      ["merge", "-m", "x", "side"],
      ["merge-tree", "--write-tree", "HEAD", "side"],
    ],
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      side(top, { "data.txt": "side\n" });
      commit(top, { "data.txt": "main\n" });
      configure(config(top), section("merge", ["default", "x"]), section(`merge "x"`, ["driver", program]));
    },
  },
  {
    name: "merge driver, run by the restore of a stash",
    naive: [
      ["stash", "apply"],
      ["stash", "pop"],
    ],
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n", ".gitattributes": "data.txt merge=x\n" });
      put(join(top, "data.txt"), "stash\n");
      git(top, ["stash", "--quiet"]);
      commit(top, { "data.txt": "main\n" });
      configure(config(top), section(`merge "x"`, ["driver", program]));
    },
  },
  {
    name: "interactive.diffFilter",
    naive: [["add", "--patch"]],
    input: "q\n",
    terminal: true,
    prepare({ top, program }) {
      differing(top);
      configure(
        config(top),
        section("color", ["interactive", "always"], ["diff", "always"]),
        section("interactive", ["diffFilter", program]),
      );
    },
  },
  {
    name: "difftool with a command",
    naive: [["difftool", "--no-prompt"]],
    prepare({ top, program }) {
      differing(top);
      configure(config(top), section("diff", ["tool", "x"]), section(`difftool "x"`, ["cmd", program]));
    },
  },
  {
    name: "compressor of an archive format",
    naive: [["archive", "--format=x", "HEAD"]],
    prepare({ top, program }) {
      configure(config(top), section(`tar "x"`, ["command", program]));
    },
  },
];

const TERMINAL_TEXTS: readonly GitProgramAttack[] = [
  {
    name: "core.pager, run without a terminal by grep",
    naive: [["grep", "--open-files-in-pager", "data"]],
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      configure(config(top), section("core", ["pager", program]));
    },
  },
  {
    name: "core.pager",
    naive: [["log"], ["diff", "HEAD~1"], ["show"], ["branch", "--list"]],
    terminal: true,
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      configure(config(top), section("core", ["pager", program]));
    },
  },
  {
    name: "pagers of commands that have none by default",
    naive: [["status"], ["ls-files"]],
    terminal: true,
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      const commands = ["status", "ls-files", "log", "add"];
      configure(config(top), section("pager", ...commands.map((command) => [command, program] as const)));
    },
  },
  {
    name: "core.editor",
    naive: [
      ["commit", "--amend"],
      ["commit", "--allow-empty"],
      ["tag", "--annotate", "x"],
    ],
    prepare({ top, program }) {
      configure(config(top), section("core", ["editor", program]));
    },
  },
  {
    name: "sequence.editor",
    naive: [["rebase", "--interactive", "HEAD~1"]],
    prepare({ top, program }) {
      commit(top, { "data.txt": "data\n" });
      configure(config(top), section("sequence", ["editor", program]));
    },
  },
  {
    name: "trailer with a command",
    naive: [["interpret-trailers"], ["commit", "--allow-empty", "-m", "x", "--trailer", "x=y"]],
    input: "subject\n",
    prepare({ top, program }) {
      configure(config(top), section(`trailer "x"`, ["key", "x"], ["command", program]));
    },
  },
  {
    name: "alias of a command that git does not have",
    naive: [["lfs", "version"]],
    prepare({ top, program }) {
      configure(config(top), section("alias", ["lfs", `!${program}`]));
    },
  },
];

const SIGNATURES: readonly GitProgramAttack[] = [
  {
    name: "gpg.program and log.showSignature",
    naive: [["log"], ["log", "-1", "--format=%H %s"], ["show"], ["log", "--oneline", "-5"]],
    prepare({ top, program }) {
      signed(top, "PGP SIGNATURE");
      configure(config(top), section("gpg", ["program", program]), section("log", ["showSignature", "true"]));
    },
  },
  {
    name: "gpg.openpgp.program and a format that asks for the signature",
    naive: [["log"], ["show"], ["whatchanged"]],
    prepare({ top, program }) {
      signed(top, "PGP SIGNATURE");
      configure(
        config(top),
        section(`gpg "openpgp"`, ["program", program]),
        section("format", ["pretty", "format:%H %G?"]),
      );
    },
  },
  {
    name: "pretty format that takes the place of a name which git does not have",
    naive: [["log", "--pretty=indus"]],
    prepare({ top, program }) {
      signed(top, "PGP SIGNATURE");
      configure(
        config(top),
        section("gpg", ["program", program]),
        section("pretty", ["indus", "format:%H %G?"]),
      );
    },
  },
  {
    name: "gpg.ssh.program",
    naive: [["log"], ["show"]],
    prepare({ top, program }) {
      signed(top, "SSH SIGNATURE");
      put(join(top, "signers"), "");
      configure(
        config(top),
        section(`gpg "ssh"`, ["program", program], ["allowedSignersFile", join(top, "signers")]),
        section("log", ["showSignature", "true"]),
      );
    },
  },
  {
    name: "gpg.x509.program",
    naive: [["log"], ["show"]],
    prepare({ top, program }) {
      signed(top, "SIGNED MESSAGE");
      configure(
        config(top),
        section(`gpg "x509"`, ["program", program]),
        section("log", ["showSignature", "true"]),
      );
    },
  },
  {
    name: "commit.gpgSign",
    naive: [
      ["commit", "--allow-empty", "-m", "x"],
      ["commit-tree", "-S", "-m", "x", "HEAD^{tree}"],
    ],
    prepare({ top, program }) {
      configure(config(top), section("gpg", ["program", program]), section("commit", ["gpgSign", "true"]));
    },
  },
  {
    name: "tag.gpgSign",
    naive: [["tag", "-m", "x", "x"]],
    prepare({ top, program }) {
      configure(config(top), section("gpg", ["program", program]), section("tag", ["gpgSign", "true"]));
    },
  },
  {
    name: "command that finds the key for a signature",
    naive: [["commit", "--allow-empty", "-m", "x"]],
    prepare({ top, program }) {
      configure(
        config(top),
        section("gpg", ["format", "ssh"]),
        section(`gpg "ssh"`, ["defaultKeyCommand", program]),
        section("commit", ["gpgSign", "true"]),
      );
    },
  },
  {
    name: "merge.verifySignatures",
    naive: [["merge", "side"]],
    prepare({ top, program }) {
      const head = git(top, ["symbolic-ref", "--short", "HEAD"]);
      git(top, ["checkout", "--quiet", "-b", "side"]);
      const tree = git(top, ["rev-parse", "HEAD^{tree}"]);
      const parent = git(top, ["rev-parse", "HEAD"]);
      const who = "a <a@example.invalid> 1000000000 +0000";
      const text =
        `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n` +
        `gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n\nsigned\n`;
      git(top, ["update-ref", "HEAD", git(top, ["hash-object", "-t", "commit", "-w", "--stdin"], text)]);
      git(top, ["checkout", "--quiet", head]);
      configure(
        config(top),
        section("gpg", ["program", program]),
        section("merge", ["verifySignatures", "true"]),
      );
    },
  },
];

/** Ways to a remote that run a program. The address may not exist: the program runs before anything connects. */
const ROUTES: Readonly<Record<string, (place: AttackPlace) => readonly string[]>> = {
  "an ext:: address": ({ top, program }) => [
    section(`remote "origin"`, ["url", `ext::${mute(top, program)} %S`]),
    allowExt,
  ],
  "an upload-pack program": ({ top, program }) => [
    section(`remote "origin"`, ["url", join(top, ".git")], ["uploadpack", mute(top, program)]),
  ],
  "core.sshCommand": ({ top, program }) => [
    section(`remote "origin"`, ["url", "ssh://example.invalid/x"]),
    section("core", ["sshCommand", mute(top, program)]),
  ],
  "core.gitProxy": ({ top, program }) => [
    section(`remote "origin"`, ["url", "git://example.invalid/x"]),
    section("core", ["gitProxy", mute(top, program)]),
  ],
  "url.insteadOf": ({ top, program }) => [
    section(`remote "origin"`, ["url", "https://example.invalid/x"]),
    section(`url "ext::${mute(top, program)} "`, ["insteadOf", "https://example.invalid/"]),
    allowExt,
  ],
};

const REMOTES: readonly GitProgramAttack[] = [
  ...Object.entries(ROUTES).flatMap(([route, lines]): readonly GitProgramAttack[] => [
    {
      name: `remote with ${route}`,
      naive: [
        ["fetch"],
        ["ls-remote"],
        ["remote", "show", "origin"],
        ["remote", "update"],
        ["maintenance", "run", "--task=prefetch"],
        ["pull"],
      ],
      prepare(place) {
        configure(
          config(place.top),
          ...lines(place),
          section(`remote "origin"`, ["fetch", "+refs/heads/*:refs/remotes/origin/*"]),
        );
      },
    },
    {
      name: `missing blob that a promisor with ${route} is asked for`,
      naive: [
        ["diff"],
        ["diff", "HEAD"],
        ["cat-file", "-e", "HEAD:data.txt"],
        ["cat-file", "-p", "HEAD:data.txt"],
        ["write-tree"],
        ["checkout", "--", "."],
        ["log", "-p"],
        ["blame", "HEAD", "--", "data.txt"],
        ["archive", "HEAD"],
        ["grep", "x", "HEAD"],
        ["stash", "create"],
        ["commit", "--all", "-m", "x"],
      ],
      prepare(place) {
        const { top } = place;
        commit(top, { "data.txt": "data that no other commit has\n" });
        put(join(top, "data.txt"), "changed\n");
        forget(top, "HEAD:data.txt");
        // An entry of the index whose blob is nowhere: to write the tree of the index, git asks for it.
        git(top, ["update-index", "--add", "--cacheinfo", `100644,${"1".repeat(40)},other.txt`]);
        configure(config(top), promisor(), ...lines(place));
      },
    },
  ]),
  {
    name: "missing tree that a promisor is asked for",
    naive: [
      ["status"],
      ["diff", "HEAD"],
      ["ls-tree", "HEAD"],
      ["rev-parse", "HEAD:data.txt"],
      ["rev-list", "--objects", "HEAD"],
      ["read-tree", "HEAD"],
      ["diff-index", "--cached", "HEAD"],
      ["log", "--stat"],
    ],
    prepare(place) {
      commit(place.top, { "data.txt": "data\n" });
      forget(place.top, "HEAD^{tree}");
      configure(config(place.top), promisor(), ...ROUTES["an ext:: address"]!(place));
    },
  },
  {
    name: "missing commit that a promisor is asked for",
    naive: [
      ["log"],
      ["status"],
      ["rev-parse", "HEAD^{tree}"],
      ["rev-list", "HEAD"],
      ["diff", "HEAD"],
      ["cat-file", "-t", "HEAD"],
    ],
    prepare(place) {
      commit(place.top, { "data.txt": "data\n" });
      forget(place.top, "HEAD");
      configure(config(place.top), promisor(), ...ROUTES["an ext:: address"]!(place));
    },
  },
  {
    name: "promisor without extensions.partialClone, in an included file",
    naive: [["status"], ["ls-tree", "HEAD"]],
    prepare(place) {
      const { top } = place;
      commit(top, { "data.txt": "data\n" });
      forget(top, "HEAD^{tree}");
      put(
        join(top, "more.cfg"),
        [section(`remote "origin"`, ["promisor", "true"]), ...ROUTES["an ext:: address"]!(place)].join("\n"),
      );
      configure(config(top), section("include", ["path", join(top, "more.cfg")]));
    },
  },
  {
    name: "upload-pack of a repository in the tree that is named by its path",
    naive: [
      ["ls-remote", "./inner"],
      ["fetch", "./inner"],
    ],
    prepare({ top, program }) {
      nested(join(top, "inner"));
      configure(
        config(top),
        section('remote "./inner"', ["url", "./inner"], ["uploadpack", mute(top, program)]),
      );
    },
  },
  {
    name: "receive-pack program",
    naive: [["push", "origin", "HEAD:refs/heads/x"]],
    prepare({ top, program }) {
      configure(
        config(top),
        section(`remote "origin"`, ["url", inGit(top)], ["receivepack", mute(top, program)]),
      );
    },
  },
  ...(["remotes", "branches"] as const).map(
    (folder): GitProgramAttack => ({
      name: `remote from a file in .git/${folder}`,
      naive: [
        ["fetch", "origin"],
        ["ls-remote", "origin"],
      ],
      prepare({ top, program }) {
        const address = `ext::${mute(top, program)} %S`;
        put(inGit(top, folder, "origin"), folder === "remotes" ? `URL: ${address}\n` : `${address}\n`);
        configure(config(top), allowExt);
      },
    }),
  ),
  {
    name: "credential.helper",
    naive: [["credential", "approve"]],
    input: "protocol=https\nhost=example.invalid\nusername=a\npassword=b\n\n",
    prepare({ top, program }) {
      configure(config(top), section("credential", ["helper", program]));
    },
  },
  {
    name: "credential.helper as a shell command for one address",
    naive: [["credential", "fill"]],
    input: "protocol=https\nhost=example.invalid\n\n",
    prepare({ top, program }) {
      configure(config(top), section(`credential "https://example.invalid"`, ["helper", `!${program}`]));
    },
  },
  {
    name: "core.askPass",
    naive: [["credential", "fill"]],
    input: "protocol=https\nhost=example.invalid\n\n",
    prepare({ top, program }) {
      configure(config(top), section("core", ["askPass", program]));
    },
  },
  {
    name: "core.alternateRefsCommand",
    naive: [
      ["rev-list", "--alternate-refs"],
      ["fetch", "./inner"],
      ["log", "--alternate-refs"],
    ],
    prepare({ top, program }) {
      nested(join(top, "inner"));
      nested(join(top, "store"));
      put(inGit(top, "objects", "info", "alternates"), `${join(top, "store", ".git", "objects")}\n`);
      configure(config(top), section("core", ["alternateRefsCommand", program]));
    },
  },
];

/** Programs that are found by their name, in a PATH with an entry that is not absolute. */
const BY_NAME: readonly GitProgramAttack[] = [
  ...[".", "bin"].map(
    (path): GitProgramAttack => ({
      name: `git itself, found in ${path}`,
      naive: [["status"], ["--version"]],
      path,
      prepare({ top, program }) {
        executable(join(top, path, "git"), program);
      },
    }),
  ),
  {
    name: "git found through an empty entry of the PATH",
    naive: [["status"]],
    path: "",
    prepare({ top, program }) {
      executable(join(top, "git"), program);
    },
  },
  {
    name: "git-lfs, which a filter of the user's configuration runs",
    naive: [["-c", "filter.lfs.process=git-lfs filter-process", "add", "--all"]],
    path: ".",
    prepare({ top, program }) {
      put(join(top, "data.bin"), "data\n");
      put(join(top, ".gitattributes"), "*.bin filter=lfs\n");
      executable(join(top, "git-lfs"), program);
    },
  },
  {
    name: "a remote helper",
    naive: [["fetch"], ["ls-remote"]],
    path: "bin",
    prepare({ top, program }) {
      mute(top, program, "bin/git-remote-foo");
      configure(config(top), section(`remote "origin"`, ["url", "foo::address"]));
    },
  },
  {
    name: "a remote helper, named by remote.vcs",
    naive: [["fetch"], ["ls-remote"]],
    path: "bin",
    prepare({ top, program }) {
      mute(top, program, "bin/git-remote-foo");
      configure(config(top), section(`remote "origin"`, ["url", "https://example.invalid"], ["vcs", "foo"]));
    },
  },
  {
    name: "gpg",
    naive: [["log"]],
    path: ".",
    prepare({ top, program }) {
      signed(top, "PGP SIGNATURE");
      executable(join(top, "gpg"), program);
      configure(config(top), section("log", ["showSignature", "true"]));
    },
  },
  {
    name: "gpg, for an archive that substitutes the signature of its commit",
    naive: [["archive", "HEAD"]],
    path: ".",
    prepare({ top, program }) {
      commit(top, { ".gitattributes": "version.txt export-subst\n", "version.txt": "$Format:%G?$\n" });
      signed(top, "PGP SIGNATURE");
      executable(join(top, "gpg"), program);
    },
  },
  {
    name: "ssh",
    naive: [["fetch"]],
    path: ".",
    prepare({ top, program }) {
      mute(top, program, "ssh");
      configure(config(top), section(`remote "origin"`, ["url", "ssh://example.invalid/x"]));
    },
  },
  {
    name: "tac, in a filter that looks harmless",
    naive: READS,
    path: "bin",
    prepare({ top, program }) {
      filtered(top);
      executable(join(top, "bin", "tac"), program);
      configure(config(top), clean("tac"));
    },
  },
  {
    name: "a command of git that is not built in",
    naive: [["absorb"]],
    path: "bin",
    prepare({ top, program }) {
      executable(join(top, "bin", "git-absorb"), program);
    },
  },
];

export const GIT_PROGRAM_ATTACKS: readonly GitProgramAttack[] = [
  ...FILTERS,
  ...NESTED,
  ...MONITORS,
  ...HOOK_ATTACKS,
  ...DIFFS,
  ...TERMINAL_TEXTS,
  ...SIGNATURES,
  ...REMOTES,
  ...BY_NAME,
];

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

/** A file, attributes and settings: the most common form of mangling. */
function mangled(
  name: string,
  content: Buffer,
  { attributes, settings }: { readonly attributes?: string; readonly settings?: string },
): ByteManglingAttack {
  return {
    name,
    path: "data.txt",
    bytes: content,
    prepare({ top }) {
      put(join(top, "data.txt"), content);
      if (attributes !== undefined) put(join(top, ".gitattributes"), `data.txt ${attributes}\n`);
      if (settings !== undefined) configure(config(top), settings);
    },
  };
}

const CRLF = bytes("one\r\ntwo\r\n");
const MIXED = bytes("one\r\ntwo\nthree\rfour\n");
const blobId = (content: Buffer): string =>
  createHash("sha1")
    .update(`blob ${String(content.length)}\0`)
    .update(content)
    .digest("hex");

/** The file is in the index with other bytes, and something makes git believe that it did not change. */
function hidden(name: string, hide: (top: string) => void): ByteManglingAttack {
  const content = bytes("new\n");
  return {
    name,
    path: "data.txt",
    bytes: content,
    prepare({ top }) {
      commit(top, { "data.txt": "old\n" });
      hide(top);
      put(join(top, "data.txt"), content);
    },
  };
}

export const BYTE_MANGLING_ATTACKS: readonly ByteManglingAttack[] = [
  mangled("text: CRLF becomes LF", CRLF, { attributes: "text" }),
  mangled("text=auto: CRLF becomes LF", CRLF, { attributes: "text=auto" }),
  mangled("eol=lf: CRLF becomes LF", CRLF, { attributes: "eol=lf" }),
  mangled("eol=crlf: mixed line ends become CRLF", MIXED, { attributes: "text eol=crlf" }),
  mangled("text and core.eol: LF becomes CRLF", bytes("one\ntwo\n"), {
    attributes: "text",
    settings: section("core", ["eol", "crlf"]),
  }),
  mangled("core.autocrlf=true: LF becomes CRLF", bytes("one\ntwo\n"), {
    settings: section("core", ["autocrlf", "true"]),
  }),
  mangled("core.autocrlf=input: CRLF becomes LF", CRLF, { settings: section("core", ["autocrlf", "input"]) }),
  mangled("core.safecrlf=true: git refuses the file", MIXED, {
    attributes: "text",
    settings: section("core", ["safecrlf", "true"]),
  }),
  mangled("the old attribute crlf", CRLF, { attributes: "crlf" }),
  mangled("ident: an expanded id changes", bytes("$Id: mine, not git's $\n"), { attributes: "ident" }),
  mangled("ident and text together", bytes("$Id: mine $\r\nmore\r\n"), { attributes: "ident text" }),
  mangled("working-tree-encoding=UTF-16: the byte order changes", bytes("\xfe\xff\0o\0n\0e\0\n"), {
    attributes: "working-tree-encoding=UTF-16 text",
  }),
  mangled(
    "working-tree-encoding=UTF-16LE-BOM: git refuses bytes of another encoding",
    bytes("one\n\xff\xd8"),
    {
      attributes: "working-tree-encoding=UTF-16LE-BOM text",
    },
  ),
  mangled("working-tree-encoding=SHIFT-JIS: no round trip", bytes("\x81\x5f\x5c\xfc\xfc\n"), {
    attributes: "working-tree-encoding=SHIFT-JIS",
  }),
  mangled("working-tree-encoding=UTF-7: no round trip", bytes("+AGE-b+-c\n"), {
    attributes: "working-tree-encoding=UTF-7 text",
  }),
  mangled("a clean filter that empties the file", bytes("data\n"), {
    attributes: "filter=x",
    settings: section(`filter "x"`, ["clean", "true"]),
  }),
  {
    name: "attributes of a nested folder override those of the top",
    path: "a/b/data.txt",
    bytes: CRLF,
    prepare({ top }) {
      put(join(top, ".gitattributes"), "* -text -ident\n");
      put(join(top, "a", ".gitattributes"), "b/* text eol=lf\n");
      put(join(top, "a", "b", "data.txt"), CRLF);
    },
  },
  {
    name: "info/attributes overrides the attributes in the tree",
    path: "data.txt",
    bytes: CRLF,
    prepare({ top }) {
      put(join(top, ".gitattributes"), "* -text\n");
      put(inGit(top, "info", "attributes"), "* text eol=lf\n");
      put(join(top, "data.txt"), CRLF);
    },
  },
  {
    name: "attributes that appear between the snapshot and the restore",
    path: "data.txt",
    bytes: bytes("one\ntwo $Id$\n"),
    prepare({ top }) {
      put(join(top, "data.txt"), "one\ntwo $Id$\n");
    },
    after({ top }) {
      put(join(top, ".gitattributes"), "* text eol=crlf ident\n");
    },
  },
  hidden("a file marked assume-unchanged", (top) => {
    git(top, ["update-index", "--assume-unchanged", "data.txt"]);
  }),
  hidden("a file marked skip-worktree", (top) => {
    git(top, ["update-index", "--skip-worktree", "data.txt"]);
  }),
  {
    name: "a file of the same size, time and inode as the index has",
    path: "data.txt",
    bytes: bytes("new\n"),
    prepare({ top }) {
      put(join(top, "data.txt"), "old\n");
      touch(join(top, "data.txt"));
      git(top, ["add", "data.txt"]);
      put(join(top, "data.txt"), "new\n");
      touch(join(top, "data.txt"));
      configure(config(top), section("core", ["trustctime", "false"], ["checkStat", "minimal"]));
    },
  },
  {
    name: "a file outside of a sparse checkout",
    path: "out/data.txt",
    bytes: bytes("new\n"),
    prepare({ top }) {
      commit(top, { "in/data.txt": "data\n", "out/data.txt": "old\n" });
      git(top, ["sparse-checkout", "set", "--cone", "in"]);
      put(join(top, "out", "data.txt"), "new\n");
      git(top, ["update-index", "--skip-worktree", "out/data.txt"]);
    },
  },
  {
    name: "a replacement of the blob in refs/replace",
    path: "data.txt",
    bytes: bytes("what the user wrote\n"),
    prepare({ top }) {
      const content = bytes("what the user wrote\n");
      put(join(top, "data.txt"), content);
      const id = git(top, ["hash-object", "-w", "--stdin"], "what the attacker wrote\n");
      git(top, ["hash-object", "-w", "--stdin"], content);
      git(top, ["update-ref", `refs/replace/${blobId(content)}`, id]);
    },
  },
  {
    name: "a broken object that has the id of the file already",
    path: "data.txt",
    bytes: bytes("what the user wrote\n"),
    prepare({ top }) {
      const content = bytes("what the user wrote\n");
      put(join(top, "data.txt"), content);
      const id = blobId(content);
      put(inGit(top, "objects", id.slice(0, 2), id.slice(2)), deflateSync("blob 5\0other"));
    },
  },
  {
    name: "an alternate store that has the object, and goes away",
    path: "data.txt",
    bytes: bytes("what the user wrote\n"),
    prepare({ top }) {
      const content = bytes("what the user wrote\n");
      put(join(top, "data.txt"), content);
      git(top, ["init", "--quiet", "--template=", "--bare", "store"]);
      git(join(top, "store"), ["hash-object", "-w", "--stdin"], content);
      put(inGit(top, "objects", "info", "alternates"), "../../store/objects\n");
    },
    after({ top }) {
      rmSync(join(top, "store"), { recursive: true });
    },
  },
  {
    name: "a collection of garbage between the snapshot and the restore",
    path: "data.txt",
    bytes: bytes("what only the snapshot has\n"),
    prepare({ top }) {
      put(join(top, "data.txt"), "what only the snapshot has\n");
    },
    after({ top }) {
      // The index of the repository forgets the file too, as `git reset` would do.
      rmSync(inGit(top, "index"), { force: true });
      for (const folder of ["logs", "refs/indus"])
        rmSync(inGit(top, folder), { recursive: true, force: true });
      git(top, ["gc", "--quiet", "--prune=now"]);
    },
  },
];

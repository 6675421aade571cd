import { copyFileSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describeError, joinSignals } from "indusagi/core";
import { type GitCall, runGit } from "./run-git.ts";

/** Keeps the content of a whole folder, without the files that git ignores. */
export interface TreeSnapshots {
  /** Keeps the folder as it is now and resolves to an id. Rejects if that is not possible. */
  take(): Promise<string>;
  /** The files that differ between two snapshots, absolute. */
  changes(from: string, to: string): Promise<readonly string[]>;
  /** Makes these files as they are in a snapshot; those that it does not have are removed. */
  restore(snapshot: string, paths: readonly string[]): Promise<RestoredFiles>;
}

interface RestoredFiles {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

export interface SnapshotOptions {
  /** The folder of the session. */
  readonly cwd: string;
  /** A folder of our own for the objects and the index. */
  readonly folder: string;
  /** Files that are not the user's, absolute: they are kept by no snapshot. */
  readonly ignored?: () => readonly string[];
  /** Stops what runs. */
  readonly signal?: AbortSignal;
  /** How long one snapshot may take. Default 15 s. */
  readonly deadlineMs?: number;
  /** The time for what begins after the signal: the state at the end of a turn that it stopped. Default 1 s. */
  readonly lastDeadlineMs?: number;
}

const DEADLINE_MS = 15_000;
/** A program that was stopped exits after two seconds. */
const LAST_DEADLINE_MS = 1_000;
/** A larger file that git does not know is not kept. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_FILES = 50_000;
/** In a file of ours, which wins over those of the project: no filter and no conversion touches a byte. */
const ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n";

/**
 * Snapshots through the plumbing of git, with an index and objects of our own: the repository of the user is only read.
 * Rejects with the reason if the folder is not in a git work tree.
 */
export async function openTreeSnapshots(options: SnapshotOptions): Promise<TreeSnapshots> {
  const cwd = realpathSync(options.cwd);
  const { signal, deadlineMs = DEADLINE_MS, lastDeadlineMs = LAST_DEADLINE_MS } = options;
  let last: AbortSignal | undefined;
  const deadline = (): AbortSignal => {
    if (signal?.aborted) return (last ??= AbortSignal.timeout(lastDeadlineMs));
    return joinSignals(signal, AbortSignal.timeout(deadlineMs));
  };
  const place = await findWorkTree(cwd, deadline());
  const gitDir = join(options.folder, "snapshots.git");
  const call = (more: Partial<GitCall> = {}): GitCall => ({
    cwd: place.top,
    gitDir,
    workTree: place.top,
    signal: deadline(),
    ...more,
  });
  if (!existsSync(join(gitDir, "HEAD"))) await createRepository(gitDir, place, deadline());
  // A git that was killed leaves it. No other process uses this folder: the session is locked.
  rmSync(join(gitDir, "index.lock"), { force: true });
  const within = relative(place.top, cwd).split(sep).join("/") || ".";
  return {
    take: async () => {
      const ignored = options.ignored?.() ?? [];
      const specs = [
        within,
        ...(await largeFiles(within, place.top, call())),
        ...ignored.map((path) => `:(top,exclude,literal)${relative(place.top, path).split(sep).join("/")}`),
      ];
      const input = `${specs.join("\0")}\0`;
      // Code 1: some files could not be read. They are not kept.
      await runGit(
        ["add", "--all", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"],
        call({ input, accepts: [0, 1] }),
      );
      return (await runGit(["write-tree"], call())).trim();
    },
    changes: async (from, to) =>
      from === to ? [] : (await differences(from, to, call())).map(({ path }) => join(place.top, path)),
    restore: async (snapshot, paths) =>
      restore(
        snapshot,
        paths.map((path) => relative(place.top, path)),
        place.top,
        call,
      ),
  };
}

interface WorkTree {
  readonly top: string;
  readonly objects: string;
  readonly exclude: string;
  readonly format: string;
}

async function findWorkTree(cwd: string, signal: AbortSignal): Promise<WorkTree> {
  const questions = [
    "--show-toplevel",
    "--git-path",
    "objects",
    "--git-path",
    "info/exclude",
    "--show-object-format",
  ];
  let answer: string;
  try {
    answer = await runGit(["rev-parse", "--path-format=absolute", ...questions], { cwd, signal });
  } catch (thrown) {
    const why = describeError(thrown);
    throw new Error(/not a git repository/.test(why) ? "the folder is not in a git work tree" : why, {
      cause: thrown,
    });
  }
  const [top, objects, exclude, format] = answer.trimEnd().split("\n");
  if (!top || !objects || !exclude || !format) throw new Error("the folder is not in a git work tree");
  return { top: realpathSync(top), objects, exclude, format };
}

async function createRepository(gitDir: string, place: WorkTree, signal: AbortSignal): Promise<void> {
  mkdirSync(gitDir, { recursive: true, mode: 0o700 });
  const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${place.format}`, gitDir];
  await runGit(args, { cwd: gitDir, signal });
  mkdirSync(join(gitDir, "info"), { recursive: true });
  mkdirSync(join(gitDir, "objects", "info"), { recursive: true });
  writeFileSync(join(gitDir, "info", "attributes"), ATTRIBUTES);
  // What the user's repository has already is not stored a second time.
  writeFileSync(join(gitDir, "objects", "info", "alternates"), `${place.objects}\n`);
  if (existsSync(place.exclude)) copyFileSync(place.exclude, join(gitDir, "info", "exclude"));
}

/** Pathspecs that leave out large files. Rejects if there are too many files. */
async function largeFiles(within: string, top: string, call: GitCall): Promise<readonly string[]> {
  const listed = await runGit(["ls-files", "--others", "--exclude-standard", "-z", "--", within], call);
  const paths = listed.split("\0").filter((path) => path !== "");
  if (paths.length > MAX_FILES) throw new Error(`the folder has more than ${MAX_FILES} files`);
  const isLarge = (path: string): boolean =>
    (lstatSync(join(top, path), { throwIfNoEntry: false })?.size ?? 0) > MAX_FILE_BYTES;
  return paths.filter(isLarge).map((path) => `:(top,exclude,literal)${path}`);
}

interface Difference {
  readonly path: string;
  readonly isInLater: boolean;
}

async function differences(from: string, to: string, call: GitCall): Promise<readonly Difference[]> {
  const fields = (await runGit(["diff-tree", "-r", "-z", "--no-renames", from, to], call)).split("\0");
  const found: Difference[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = "", after = ""] = (fields[at] ?? "").replace(/^:/, "").split(" ");
    // Repositories inside the folder are not looked into.
    if (before !== "160000" && after !== "160000")
      found.push({ path: fields[at + 1] ?? "", isInLater: after !== "000000" });
  }
  return found;
}

async function restore(
  snapshot: string,
  paths: readonly string[],
  top: string,
  call: (more?: Partial<GitCall>) => GitCall,
): Promise<RestoredFiles> {
  const wanted = new Set(paths);
  // The index has the present content, so that what the snapshot lacks is known and can be removed.
  const present = (await runGit(["write-tree"], call())).trim();
  const changed = (await differences(present, snapshot, call())).filter(({ path }) => wanted.has(path));
  if (changed.length === 0) return { restored: [], removed: [] };
  const input = `${changed.map(({ path }) => path).join("\0")}\0`;
  await runGit(
    [
      "--literal-pathspecs",
      "restore",
      `--source=${snapshot}`,
      "--worktree",
      "--staged",
      "--pathspec-from-file=-",
      "--pathspec-file-nul",
    ],
    call({ input }),
  );
  const named = (isInLater: boolean): readonly string[] =>
    changed.filter((one) => one.isInLater === isInLater).map(({ path }) => join(top, path));
  return { restored: named(true), removed: named(false) };
}

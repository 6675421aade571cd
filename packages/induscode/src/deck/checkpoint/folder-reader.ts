import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { HeldFolder } from "indusagi/capabilities";
import { describeError, errorCode } from "indusagi/core";
import { type EntryMark, type FileMark, isFolder, isSameMark, type PathMark } from "./file-mark.ts";
import { type IgnoreRules, parseIgnoreRules } from "./ignore-rules.ts";
import { foldersAbove } from "./rewind/plan-rewind.ts";
import { enterFolder, type Workspace } from "./rewind/workspace.ts";
import type { BlobFolder } from "./store/blob-folder.ts";
import { nativeOf, textOf } from "./store/checkpoint-disk.ts";

/** Why something that exists is not kept. */
type UnkeptReason =
  /** A rule of a `.gitignore` file. */
  | "ignored"
  /** A setting or a hook of a repository. */
  | "repository"
  /** More than 8 MiB. */
  | "large"
  | "unreadable"
  | "not_a_file"
  /** A folder whose name is not UTF-8. */
  | "not_utf8";

interface Unkept {
  readonly unkept: UnkeptReason;
  /** Changes when the file does, if that can be seen without reading it. */
  readonly version?: string;
  /** It is ignored by a rule that was not there when the commands began. */
  readonly isNew?: true;
}

/** Everything in the folders of a workspace, by absolute path. What is below an entry that is not kept is not in it. */
export type FolderState = ReadonlyMap<string, EntryMark | Unkept>;

export interface ReadOptions {
  /** Stops the reading. */
  readonly signal: AbortSignal;
  /** What was kept last: it stays visible even if a rule ignores it now, as git goes on to follow a file that it knows. */
  readonly known?: FolderState | undefined;
  /** Keep the content of every file too. */
  readonly keep: boolean;
}

/** Why a workspace cannot be read as a whole. */
export class FolderError extends Error {}

const MAX_FILES = 50_000;
/** A larger file is not kept. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** A larger one that commands made, or that grew, is not even compared. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;
/** How long the event loop may be blocked. */
const SLICE_MS = 12;
/** A file may change twice within one tick of the clock of its file system. So the time of a younger one proves nothing. */
const SETTLED_MS = 2_000;
const NO_LINKS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Of the file tools and of rewinds. */
const TEMPORARY = /^\.indus-[0-9]+-[0-9A-Z]+\.tmp$/;

/**
 * Reads whole folders without a program: no filter, attribute, hook or configuration of a repository has any effect. Links
 * are never followed. A file that did not change since the last time is not read again. Repositories inside the folders
 * are read too, each by its own ignore rules; what is in a `.git` never is.
 */
export class FolderReader {
  readonly #workspace: Workspace;
  readonly #blobs: BlobFolder;
  readonly #seen = new Map<string, { readonly version: string; readonly mark: FileMark }>();
  /** The rules of each folder when its content was kept last. */
  #rules: ReadonlyMap<string, RuleLevel | undefined> | undefined;

  constructor(workspace: Workspace, blobs: BlobFolder) {
    this.#workspace = workspace;
    this.#blobs = blobs;
  }

  /** Rejects with the reason if a folder is not in a git work tree, has too many files, or cannot be kept. */
  async read({ signal, known = new Map(), keep }: ReadOptions): Promise<FolderState> {
    const { roots } = this.#workspace;
    const stored = keep ? new Set(await this.#blobs.names()) : undefined;
    const reading = new Reading(this.#workspace, this.#blobs, {
      seen: this.#seen,
      rules: this.#rules,
      signal,
      known,
      stored,
    });
    for (const root of roots) {
      const top = workTreeOf(root);
      if (keep && top === undefined) throw new FolderError("the folder is not in a git work tree");
      await reading.folder(root, rulesAbove(root, top), false).catch((thrown: unknown) => {
        throw thrown instanceof KeepError ? thrown.cause : thrown;
      });
    }
    for (const path of this.#seen.keys()) if (!reading.found.has(path)) this.#seen.delete(path);
    if (keep) this.#rules = reading.rules;
    return reading.found;
  }
}

/** The rules of one folder, and those of the folders above it, which count less. */
interface RuleLevel {
  readonly rules: IgnoreRules;
  readonly folder: string;
  readonly above: RuleLevel | undefined;
}

interface ReadingParts {
  readonly seen: Map<string, { readonly version: string; readonly mark: FileMark }>;
  /** The earlier rules of each folder. */
  readonly rules: ReadonlyMap<string, RuleLevel | undefined> | undefined;
  readonly signal: AbortSignal;
  readonly known: FolderState;
  /** The contents that are in the store already. Absent: none is kept. */
  readonly stored: Set<string> | undefined;
}

interface ListedFolder {
  readonly path: string;
  readonly above: RuleLevel | undefined;
  readonly isIgnored: boolean;
  readonly entries: readonly Dirent<Buffer>[];
}

/** The folders in a folder, and the rules for them. */
interface InnerFolders {
  readonly level: RuleLevel | undefined;
  readonly folders: [path: string, isIgnored: boolean][];
}

class Reading {
  readonly found = new Map<string, EntryMark | Unkept>();
  readonly rules = new Map<string, RuleLevel | undefined>();
  readonly #workspace: Workspace;
  readonly #blobs: BlobFolder;
  readonly #parts: ReadingParts;
  #files = 0;
  #sliceEnd = performance.now() + SLICE_MS;

  constructor(workspace: Workspace, blobs: BlobFolder, parts: ReadingParts) {
    this.#workspace = workspace;
    this.#blobs = blobs;
    this.#parts = parts;
  }

  /** `isIgnored`: only what is known counts. */
  async folder(path: string, above: RuleLevel | undefined, isIgnored: boolean): Promise<void> {
    let inner: InnerFolders | undefined;
    try {
      const held = await enterFolder(this.#workspace, path);
      try {
        const entries = readdirSync(held.child("."), { withFileTypes: true, encoding: "buffer" });
        inner = await this.#entries(held, { path, above, isIgnored, entries });
      } finally {
        await held.close(); // Before the folders in it: a deep tree has more than a process may open.
      }
    } catch (thrown) {
      if (thrown instanceof FolderError || thrown instanceof KeepError) throw thrown;
      if (this.#isRoot(path)) throw new FolderError(describeError(thrown), { cause: thrown });
      this.found.set(path, { unkept: "unreadable" });
    }
    for (const [at, isHidden] of inner?.folders ?? []) await this.folder(at, inner?.level, isHidden);
  }

  async #entries(
    held: HeldFolder,
    { path, above, isIgnored, entries }: ListedFolder,
  ): Promise<InnerFolders | undefined> {
    const named = new Map(entries.map((entry) => [textOf(entry.name), entry]));
    for (const name of this.#workspace.ignored?.(path, [...named.keys()]) ?? []) named.delete(name);
    const isRoot = this.#isRoot(path);
    const outer = named.has(".git") && !isRoot ? repositoryRules(path, held.child(".git")) : above;
    const level = named.has(".gitignore") ? withRules(outer, path, held.child(".gitignore")) : outer;
    if (named.has(".git")) this.#repository(path, held.child(".git"));
    // A folder that ignores itself, as a virtual environment does, stays as a whole.
    if (level !== outer && level?.rules(".gitignore", false) && !isRoot && !this.#isKnown(path)) {
      this.found.set(path, { unkept: "ignored", ...(this.#parts.rules && { isNew: true }) });
      return undefined;
    }
    this.rules.set(path, level);
    const folders: InnerFolders["folders"] = [];
    for (const [name, entry] of [...named].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (performance.now() > this.#sliceEnd) await this.#pause();
      if (isGit(name) || TEMPORARY.test(name)) continue;
      const at = join(path, name);
      // Rules that ignore themselves would stay, with all that they hide.
      const isHidden = isIgnored || (name !== ".gitignore" && isIgnoredBy(level, at, entry.isDirectory()));
      if (isHidden && !this.#isKnown(at)) this.found.set(at, this.#ignored(held.child(name), at, entry));
      else if (this.#entry(held, { name, at, entry })) folders.push([at, isHidden]);
    }
    return { level, folders };
  }

  #isRoot(path: string): boolean {
    return this.#workspace.roots.includes(path);
  }

  /** Lets other work run, and ends the reading if it must not go on. */
  async #pause(): Promise<void> {
    await setImmediate();
    const { aborted, reason } = this.#parts.signal;
    if (aborted) throw new FolderError(describeError(reason), { cause: reason });
    this.#sliceEnd = performance.now() + SLICE_MS;
  }

  #isKnown(path: string): boolean {
    const entry = this.#parts.known.get(path);
    return entry !== undefined && !("unkept" in entry);
  }

  /** What names programs in a repository is not kept, but a change of it is named. */
  #repository(folder: string, git: string): void {
    const places = [
      "config",
      "config.worktree",
      ...filesIn(join(git, "hooks")).map((name) => join("hooks", name)),
    ];
    for (const name of places) {
      const stats = lstatOrNothing(join(git, name));
      if (stats)
        this.found.set(join(folder, ".git", name), { unkept: "repository", version: versionOf(stats) });
    }
  }

  #ignored(place: string, path: string, entry: Dirent<Buffer>): Unkept {
    const { rules } = this.#parts;
    const isNew = rules !== undefined && !isIgnoredBy(nearestRules(rules, path), path, entry.isDirectory());
    const stats = entry.isDirectory() ? undefined : lstatOrNothing(place);
    return { unkept: "ignored", ...(stats && { version: versionOf(stats) }), ...(isNew && { isNew }) };
  }

  /** Returns true for a folder. */
  #entry(
    held: HeldFolder,
    { name, at, entry }: { name: string; at: string; entry: Dirent<Buffer> },
  ): boolean {
    if (entry.isDirectory()) {
      const stats = lstatOrNothing(held.child(name));
      if (!stats?.isDirectory()) return false;
      const isNamed = nativeOf(name) === name;
      this.found.set(at, isNamed ? { folder: Number(stats.mode) & 0o7777 } : { unkept: "not_utf8" });
      return isNamed;
    }
    this.#files += 1;
    if (this.#files > MAX_FILES) throw new FolderError(`the folder has more than ${MAX_FILES} files`);
    const mark = readEntry((): EntryMark | Unkept => {
      if (entry.isFile()) return this.#file(held.child(name), at);
      if (!entry.isSymbolicLink()) return { unkept: "not_a_file" };
      return { link: textOf(readlinkSync(nativeOf(held.child(name)), { encoding: "buffer" })) };
    });
    if (mark) this.found.set(at, mark);
    return false;
  }

  #file(place: string, path: string): FileMark | Unkept {
    const { seen, stored, known } = this.#parts;
    const earlier = seen.get(path);
    const isKept = earlier !== undefined && (!stored || stored.has(earlier.mark.hash));
    if (isKept && versionOf(lstatSync(nativeOf(place), { bigint: true })) === earlier.version)
      return earlier.mark;
    const fd = openSync(nativeOf(place), constants.O_RDONLY | NO_LINKS);
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (!stats.isFile()) return { unkept: "not_a_file" };
      const { size, mode, mtimeNs, ctimeNs } = stats;
      const version = versionOf(stats);
      // One that was smaller, or not there, when the commands began is only compared with what is there later.
      const before = known.get(path);
      const isCompared = !stored && !(before && "unkept" in before);
      if (size > (isCompared ? MAX_HASHED_BYTES : MAX_FILE_BYTES)) return { unkept: "large", version };
      const hash = createHash("sha256");
      const pieces = readPieces(fd, Number(size), (piece) => hash.update(piece));
      const mark = { hash: hash.digest("hex"), size: pieces.size, mode: Number(mode) & 0o7777 };
      if (stored && !stored.has(mark.hash)) {
        this.#keep(mark.hash, pieces.bytes);
        stored.add(mark.hash);
      }
      const changedMs = Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
      if (changedMs + SETTLED_MS < Date.now()) seen.set(path, { version, mark });
      else seen.delete(path);
      return mark;
    } finally {
      closeSync(fd);
    }
  }

  #keep(hash: string, bytes: Uint8Array): void {
    try {
      this.#blobs.put(hash, bytes);
    } catch (cause) {
      throw new KeepError("a content cannot be kept", { cause });
    }
  }
}

/** The store failed, as opposed to the file. */
class KeepError extends Error {}

function lstatOrNothing(path: string): BigIntStats | undefined {
  try {
    return lstatSync(nativeOf(path), { bigint: true });
  } catch {
    return undefined;
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** No program but a clock that is set back can change a file and keep all of these. */
function versionOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(":");
}

/** Undefined: it is gone. */
function readEntry<Value>(read: () => Value): Value | Unkept | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof KeepError) throw thrown;
    return errorCode(thrown) === "ENOENT" ? undefined : { unkept: "unreadable" };
  }
}

/** Small files as a whole. Of a large one only the hash is wanted. */
function readPieces(
  fd: number,
  size: number,
  take: (piece: Uint8Array) => void,
): { readonly size: number; readonly bytes: Uint8Array } {
  const buffer = Buffer.allocUnsafeSlow(Math.min(size, MAX_FILE_BYTES));
  let done = 0;
  while (done < size) {
    const at = done % MAX_FILE_BYTES;
    const count = readSync(fd, buffer, at, Math.min(buffer.length - at, size - done), done);
    if (count === 0) break;
    take(buffer.subarray(at, at + count));
    done += count;
  }
  return { size: done, bytes: buffer.subarray(0, done) };
}

const isGit = (name: string): boolean =>
  name === ".git" || (process.platform !== "linux" && name.toLowerCase() === ".git");

function isIgnoredBy(level: RuleLevel | undefined, path: string, isDirectory: boolean): boolean {
  for (let at = level; at; at = at.above) {
    const verdict = at.rules(path.slice(at.folder.length + 1).replaceAll(sep, "/"), isDirectory);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

function nearestRules(rules: NonNullable<ReadingParts["rules"]>, path: string): RuleLevel | undefined {
  let folder = dirname(path);
  while (!rules.has(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return rules.get(folder);
}

function withRules(above: RuleLevel | undefined, folder: string, file: string): RuleLevel | undefined {
  const text = smallText(file);
  return text === undefined
    ? above
    : { rules: parseIgnoreRules(text), folder: folder.replace(/[/\\]$/, ""), above };
}

const MAX_RULES_BYTES = 1024 * 1024;

/** Links are not followed, as git does not follow them either. Undefined if there is no such file. */
function smallText(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | NO_LINKS);
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= MAX_RULES_BYTES ? readFileSync(fd, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The rules for a folder that its work tree has outside of it. */
function rulesAbove(root: string, top: string | undefined): RuleLevel | undefined {
  if (top === undefined) return undefined; // A command removed it meanwhile.
  let level = repositoryRules(top, join(top, ".git"));
  for (const folder of foldersAbove(root, [top]).toReversed())
    level = withRules(level, folder, join(folder, ".gitignore"));
  return level;
}

/** The nearest folder with a repository. */
function workTreeOf(root: string): string | undefined {
  let folder = root;
  while (!isWorkTree(folder)) {
    if (folder === dirname(folder)) return undefined;
    folder = dirname(folder);
  }
  return folder;
}

/** A `.git` without content is none: a killed session may have left it. Of a work tree it is a file. */
function isWorkTree(folder: string): boolean {
  const own = join(folder, ".git");
  return existsSync(join(own, "HEAD")) || statSync(own, { throwIfNoEntry: false })?.isFile() === true;
}

/** The rules that a repository has outside of its files: those of the user, and its own `info/exclude`. */
function repositoryRules(folder: string, git: string): RuleLevel | undefined {
  const config = process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  const users = withRules(undefined, folder, join(config, "git", "ignore"));
  return withRules(users, folder, join(commonFolder(folder, git), "info", "exclude"));
}

/** The repository itself: a submodule and a further work tree have a file that names another folder. */
function commonFolder(folder: string, git: string): string {
  const named = /^gitdir: (.+)$/m.exec(smallText(git) ?? "")?.[1];
  if (named === undefined) return git;
  const own = resolve(folder, named);
  const common = smallText(join(own, "commondir"))?.trim();
  return common === undefined ? own : resolve(own, common);
}

/** One path that differs between two states. */
export interface FolderChange {
  readonly path: string;
  readonly before: PathMark;
  readonly after: PathMark;
}

/**
 * What was changed from one state to the other. A path that the first state does not cover is in it only if it is known to
 * have changed: as `unknown`, which a rewind leaves alone.
 */
export function changesBetween(before: FolderState, after: FolderState): FolderChange[] {
  const changes: FolderChange[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [stateOf(before, path), stateOf(after, path)];
    // What is below something that is not kept is not followed, nor is a new file that was to be ignored all along.
    if (
      "hidden" in one ||
      ("absent" in one && "unkept" in other && other.unkept === "ignored" && !other.isNew)
    )
      continue;
    if ("unkept" in one && "unkept" in other && one.version === other.version) continue;
    const [from, to] = [markOf(one), markOf(other)];
    const isOutOfReach = from === "absent" && "unkept" in other && OUT_OF_REACH.has(other.unkept);
    const change = { path, before: isOutOfReach ? to : from, after: to };
    if (isSameMark(change.before, change.after) || isPlaceholder(change, before, after)) continue;
    changes.push(change);
  }
  return changes;
}

const OUT_OF_REACH: ReadonlySet<UnkeptReason> = new Set(["ignored", "repository", "not_utf8"]);

/** `hidden`: below something that is not kept. */
type PathState = EntryMark | Unkept | { readonly absent: true } | { readonly hidden: true };

function stateOf(state: FolderState, path: string): PathState {
  const own = state.get(path);
  if (own) return own;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const above = state.get(folder);
    if (above && "unkept" in above) return { hidden: true };
  }
  return { absent: true };
}

function markOf(state: PathState): PathMark {
  if ("absent" in state) return "absent";
  if ("hidden" in state) return "unknown";
  if (!("unkept" in state)) return state;
  if (state.unkept === "not_a_file") return { other: true };
  return state.unkept === "ignored" || state.unkept === "repository" ? state.unkept : "unknown";
}

/**
 * While a command runs, the sandbox may hold names such as `.cursor` and `opencode.json` with an empty folder. Such a name
 * must not be freed by a rewind.
 */
function isPlaceholder(
  { path, before, after }: FolderChange,
  ...[first, last]: [FolderState, FolderState]
): boolean {
  if (before !== "absent" || !isFolder(after) || !basename(path).includes(".")) return false;
  const isInRoot = !first.has(dirname(path)) && !last.has(dirname(path));
  return isInRoot && ![...last.keys()].some((other) => other.startsWith(path + sep));
}

/** A state as text, to keep it. */
export function formatState(state: FolderState): string {
  return [...state].map((entry) => JSON.stringify(entry)).join("\n");
}

export function parseState(text: string): FolderState {
  return new Map(
    text
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as [string, EntryMark | Unkept]])),
  );
}

/** The contents of a state, by hash. */
export function contentsOf(state: FolderState): Map<string, number> {
  return new Map(
    [...state.values()].flatMap((mark) => ("hash" in mark ? [[mark.hash, mark.size] as const] : [])),
  );
}

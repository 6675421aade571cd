import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { HeldFolder } from "indusagi/capabilities";
import { describeError, errorCode, isRepository, isTempName, workTreeOf } from "indusagi/core";
import { FolderError } from "./checkpoint-error.ts";
import type { EntryMark, FileMark } from "./file-mark.ts";
import { type FolderState, isGit, type Origin, type Unkept } from "./folder-state.ts";
import { foldersAbove } from "./rewind/plan-rewind.ts";
import { enterFolder, type Workspace } from "./rewind/workspace.ts";
import type { BlobFolder } from "./store/blob-folder.ts";
import { decodePath, encodePath } from "./store/checkpoint-disk.ts";
import { trackedNames } from "./tracked-names.ts";
import {
  gitFolder,
  ignoresAll,
  isIgnoredBy,
  looksLikeGit,
  nearestRules,
  newRuleBudget,
  type RuleBudget,
  type RuleLevel,
  repositoryRules,
  rulesAbove,
  withRules,
} from "./work-tree.ts";

export interface FolderReadOptions {
  /** Stops the reading. */
  readonly signal: AbortSignal;
  /** What was kept last. It stays visible even if a rule ignores it now, as git keeps tracking files it knows. */
  readonly known?: FolderState | undefined;
  /** Keep the content of every file too. */
  readonly keep: boolean;
}

const MAX_FILES = 50_000;
/** In the indexes of all repositories of a workspace. */
const MAX_TRACKED = 500_000;
/** Larger files are not kept. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Larger files that commands created or grew are not even compared. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;
/** How long the event loop may be blocked. */
const SLICE_MS = 12;
/** A file may change twice within one tick of the file system's clock, so the time of a younger file proves nothing. */
const SETTLED_MS = 2_000;
/** More than one tick of a file system's clock. */
const TICK_MS = 100;
const NO_LINKS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads whole folders without running git: no filter, attribute, hook or configuration of a repository has any effect. Never
 * follows links. Skips files unchanged since the last time. Nested repositories are read by their own ignore rules, but
 * never the contents of a `.git`.
 */
export class FolderReader {
  readonly #workspace: Workspace;
  readonly #blobs: BlobFolder;
  readonly #seen = new Map<string, { readonly version: string; readonly mark: FileMark }>();
  /** The rules of each folder when its content was kept last. */
  #rules: ReadonlyMap<string, RuleLevel | undefined> | undefined;
  #kept: KeptAt | undefined;

  constructor(workspace: Workspace, blobs: BlobFolder) {
    this.#workspace = workspace;
    this.#blobs = blobs;
  }

  /** Rejects with the reason if a folder is not in a git work tree, has too many files, or cannot be kept. */
  async read({ signal, known = new Map(), keep }: FolderReadOptions): Promise<FolderState> {
    const { roots } = this.#workspace;
    const stored = keep ? new Set(await this.#blobs.names()) : undefined;
    const reading = new Reading(this.#workspace, this.#blobs, {
      seen: this.#seen,
      rules: this.#rules,
      signal,
      known,
      stored,
      kept: keep ? undefined : this.#kept,
    });
    const begunMs = Date.now();
    for (const root of roots) {
      const top = workTreeOf(root);
      if (keep && top === undefined)
        throw new FolderError("the folder is not in a git work tree", { code: "NO_WORK_TREE" });
      await reading.root(root, top).catch((thrown: unknown) => {
        throw thrown instanceof KeepError ? thrown.cause : thrown;
      });
    }
    for (const path of this.#seen.keys()) if (!reading.found.has(path)) this.#seen.delete(path);
    if (keep) {
      this.#rules = reading.rules;
      this.#kept = { ms: begunMs, hasBirthTimes: reading.hasBirthTimes };
    }
    return reading.found;
  }
}

interface ReadingParts {
  readonly seen: Map<string, { readonly version: string; readonly mark: FileMark }>;
  /** The earlier rules of each folder. */
  readonly rules: ReadonlyMap<string, RuleLevel | undefined> | undefined;
  readonly signal: AbortSignal;
  readonly known: FolderState;
  /** The contents already in the store. Absent: contents are not kept. */
  readonly stored: Set<string> | undefined;
  /** When the commands began, if they have ended. */
  readonly kept: KeptAt | undefined;
}

/** When the content was kept last. */
interface KeptAt {
  readonly ms: number;
  readonly hasBirthTimes: boolean;
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
  readonly found = new Map<string, (EntryMark | Unkept) & Origin>();
  readonly rules = new Map<string, RuleLevel | undefined>();
  /** Whether this file system records creation times. */
  hasBirthTimes = false;
  readonly #workspace: Workspace;
  readonly #blobs: BlobFolder;
  readonly #parts: ReadingParts;
  readonly #tracked = new Set<string>();
  readonly #budget: RuleBudget;
  #entriesRead = 0;
  #hasTooMany = false;
  #trackedLeft = MAX_TRACKED;
  #sliceEnd = performance.now() + SLICE_MS;

  constructor(workspace: Workspace, blobs: BlobFolder, parts: ReadingParts) {
    this.#workspace = workspace;
    this.#blobs = blobs;
    this.#parts = parts;
    this.#budget = newRuleBudget(parts.stored !== undefined);
  }

  /** `top`: the work tree. Absent if a command removed it meanwhile. */
  async root(path: string, top: string | undefined): Promise<void> {
    const stats = lstatOrNothing(path);
    // Without creation times, some systems give the change time instead, or zero. Compared readings use the same answer.
    const isBorn = stats !== undefined && stats.birthtimeNs > 0n && stats.birthtimeNs !== stats.ctimeNs;
    this.hasBirthTimes = this.#parts.kept?.hasBirthTimes ?? isBorn;
    if (top !== undefined) this.#addTracked(top, join(top, ".git"));
    await this.folder(path, rulesAbove(path, top, this.#budget), false);
  }

  /** `isIgnored`: only known entries count. */
  async folder(path: string, above: RuleLevel | undefined, isIgnored: boolean): Promise<void> {
    let inner: InnerFolders | undefined;
    try {
      const held = await enterFolder(this.#workspace, path);
      try {
        const entries = readdirSync(held.child("."), { withFileTypes: true, encoding: "buffer" });
        inner = await this.#entries(held, { path, above, isIgnored, entries });
      } finally {
        await held.close(); // Before descending: a deep tree has more folders than a process may open.
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
    const named = new Map(entries.map((entry) => [decodePath(entry.name), entry]));
    for (const name of this.#workspace.ignored?.(path, [...named.keys()]) ?? []) named.delete(name);
    const isRoot = this.#isRoot(path);
    const git = held.child(".git");
    const isWork = named.has(".git") && !isRoot && isRepository(git);
    if (isWork) this.#addTracked(path, git);
    const outer = isWork ? repositoryRules(path, git, this.#budget) : above;
    const level = named.has(".gitignore")
      ? withRules(outer, path, held.child(".gitignore"), this.#budget)
      : outer;
    if (named.has(".git")) this.#repository(path, git);
    const isWhole = !isRoot && !this.#isCovered(path) && level !== outer && ignoresAll(level, named);
    // Only a new one: a bare repository that belongs to the project, such as a fixture, is an ordinary folder.
    const isBare = !this.#parts.stored && !isRoot && !this.#parts.known.has(path) && looksLikeGit(named);
    if (isWhole || isBare) {
      const { id } = this.found.get(path) ?? {};
      const isNew = this.#parts.rules && isWhole && { isNew: true as const };
      this.found.set(path, { unkept: isBare ? "repository" : "ignored", ...isNew, ...(id && { id }) });
      return undefined;
    }
    this.rules.set(path, level);
    const folders: InnerFolders["folders"] = [];
    for (const [name, entry] of [...named].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (performance.now() > this.#sliceEnd) await this.#pause();
      // Temporary files of the file tools and of rewinds are no one's.
      if (isGit(name) || (isTempName(name) && !entry.isDirectory())) continue;
      const at = join(path, name);
      // A `.gitignore` that ignores itself would otherwise stay, with everything it hides.
      const isHidden = isIgnored || (name !== ".gitignore" && isIgnoredBy(level, at, entry.isDirectory()));
      if (isHidden && !this.#isCovered(at)) this.found.set(at, this.#ignored(held.child(name), at, entry));
      else if (this.#entry(held, { name, at, entry })) folders.push([at, isHidden]);
    }
    return { level, folders };
  }

  #isRoot(path: string): boolean {
    return this.#workspace.roots.includes(path);
  }

  /** Yields to other work, and stops if the signal aborted. */
  async #pause(): Promise<void> {
    await setImmediate();
    const { aborted, reason } = this.#parts.signal;
    if (aborted) throw new FolderError(describeError(reason), { cause: reason });
    this.#sliceEnd = performance.now() + SLICE_MS;
  }

  /** Whether it was kept or git tracks it, whatever the ignore rules say. */
  #isCovered(path: string): boolean {
    const entry = this.#parts.known.get(path);
    return (entry !== undefined && !("unkept" in entry)) || this.#tracked.has(path);
  }

  #addTracked(folder: string, git: string): void {
    const names = trackedNames(gitFolder(folder, git));
    this.#trackedLeft -= names.length;
    if (this.#trackedLeft < 0) return;
    for (const name of names) {
      const path = join(folder, name);
      this.#tracked.add(path);
      for (let at = dirname(path); at !== folder && !this.#tracked.has(at); at = dirname(at))
        this.#tracked.add(at);
    }
  }

  /** Counts an entry. False: commands created it beyond the limit, so it is not tracked. */
  #count(path: string): boolean {
    this.#entriesRead += 1;
    const { stored, known } = this.#parts;
    if (this.#entriesRead <= MAX_FILES || (!stored && known.has(path))) return true;
    if (stored) throw new FolderError(`the folder has more than ${MAX_FILES} files and folders`);
    if (!this.#hasTooMany) this.found.set(path, { unkept: "too_many" });
    this.#hasTooMany = true;
    return false;
  }

  #originOf(path: string, { dev, ino, birthtimeNs }: BigIntStats): Origin {
    if (!this.hasBirthTimes) return { id: `${dev}:${ino}` };
    const { kept, known } = this.#parts;
    const isOld = kept && !known.has(path) && Number(birthtimeNs / 1_000_000n) < kept.ms - TICK_MS;
    // With the creation time, because inodes of deleted files are soon reused.
    return { id: `${dev}:${ino}:${birthtimeNs}`, ...(isOld && { isOld }) };
  }

  /** A repository is not kept. Only records that it exists, and the versions of its config and hooks, which name programs. */
  #repository(folder: string, git: string): void {
    const own = lstatOrNothing(git);
    if (!own) return;
    const at = join(folder, ".git");
    const version = own.isDirectory() ? {} : { version: versionOf(own) };
    this.found.set(at, { unkept: "repository", ...version, ...this.#originOf(at, own) });
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

  #ignored(place: string, path: string, entry: Dirent<Buffer>): Unkept & Origin {
    const { rules } = this.#parts;
    const { roots } = this.#workspace;
    const wasIgnored = (at: string): boolean =>
      isIgnoredBy(nearestRules(rules ?? new Map(), at), at, at !== path || entry.isDirectory());
    const isNew = rules !== undefined && ![path, ...foldersAbove(path, roots).slice(0, -1)].some(wasIgnored);
    const stats = lstatOrNothing(place);
    const version = stats && !entry.isDirectory() && { version: versionOf(stats), size: Number(stats.size) };
    return {
      unkept: "ignored",
      ...version,
      ...(isNew && { isNew }),
      ...(stats && this.#originOf(path, stats)),
    };
  }

  /** Returns true for a folder. */
  #entry(
    held: HeldFolder,
    { name, at, entry }: { name: string; at: string; entry: Dirent<Buffer> },
  ): boolean {
    if (!this.#count(at)) return false;
    const stats = lstatOrNothing(held.child(name));
    if (!stats) return false;
    const origin = this.#originOf(at, stats);
    if (entry.isDirectory()) {
      if (!stats.isDirectory()) return false;
      const isNamed = encodePath(name) === name;
      const mark = isNamed ? { folder: Number(stats.mode) & 0o7777 } : { unkept: "not_utf8" as const };
      this.found.set(at, { ...mark, ...origin });
      return isNamed;
    }
    const mark = readEntry((): EntryMark | Unkept => {
      if (entry.isFile()) return this.#file(held.child(name), at, stats);
      if (!entry.isSymbolicLink()) return { unkept: "not_a_file" };
      return { link: decodePath(readlinkSync(encodePath(held.child(name)), { encoding: "buffer" })) };
    });
    if (mark) this.found.set(at, { ...mark, ...origin });
    return false;
  }

  #file(place: string, path: string, now: BigIntStats): FileMark | Unkept {
    const { seen, stored, known } = this.#parts;
    const earlier = seen.get(path);
    const isKept = earlier !== undefined && (!stored || stored.has(earlier.mark.hash));
    if (isKept && versionOf(now) === earlier.version) return earlier.mark;
    const fd = openSync(encodePath(place), constants.O_RDONLY | NO_LINKS);
    try {
      const stats = fstatSync(fd, { bigint: true });
      if (!stats.isFile()) return { unkept: "not_a_file" };
      const { size, mode, mtimeNs, ctimeNs } = stats;
      const version = versionOf(stats);
      // A file that was smaller or absent when the commands began is only compared later, never restored.
      const before = known.get(path);
      const isCompared = !stored && !(before && "unkept" in before);
      if (size > (isCompared ? MAX_HASHED_BYTES : MAX_FILE_BYTES))
        return { unkept: "large", version, size: Number(size) };
      const hash = createHash("sha256");
      const pieces = readPieces(fd, Number(size), (piece) => hash.update(piece));
      const mark = {
        hash: hash.digest("hex"),
        size: pieces.size,
        mode: Number(mode) & 0o7777,
        ...(HAS_OWNERS && { owner: [Number(stats.uid), Number(stats.gid)] as const }),
      };
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

const HAS_OWNERS = process.platform !== "win32";

/** The store failed, not the file. */
class KeepError extends Error {}

function lstatOrNothing(path: string): BigIntStats | undefined {
  try {
    return lstatSync(encodePath(path), { bigint: true });
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

/**
 * A program cannot change a file and keep all of these, except by setting the clock back, or through an existing memory
 * mapping: the system updates the time only when it writes the page back.
 */
function versionOf({ dev, ino, size, mode, mtimeNs, ctimeNs, uid, gid }: BigIntStats): string {
  return [dev, ino, size, mode, mtimeNs, ctimeNs, uid, gid].join(":");
}

/** Undefined if it is gone. */
function readEntry<Value>(read: () => Value): Value | Unkept | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof KeepError) throw thrown;
    return errorCode(thrown) === "ENOENT" ? undefined : { unkept: "unreadable" };
  }
}

/** `bytes` is complete only for files up to `MAX_FILE_BYTES`; larger ones are only hashed. */
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

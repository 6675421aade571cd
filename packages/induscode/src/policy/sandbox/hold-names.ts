import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describeError, errorCode, leaveWill } from "indusagi/core";
import { EMPTY_PROJECT_FILES, PROTECTED_IN_PROJECTS } from "../internal.ts";
import { SandboxError } from "./sandbox-plan.ts";

/** Names that are reserved while a command runs. */
export interface HeldNames {
  /** What was created to reserve the names: empty folders, or files that count as empty for their readers. */
  readonly paths: readonly string[];
  /** The folder that records who holds the names. Undefined on a read-only disk. */
  readonly records: string | undefined;
  /** Another process holds names here too, for its own sandbox. */
  readonly isShared: boolean;
  release(): void;
}

/**
 * The folder with the records, inside the held folder, where every process that can write can see who else holds names. Nothing
 * else uses this name, and git does not show it, because it contains only empty folders:
 *
 * - `by-PID-START-NAMESPACE`: a process that holds the names. A folder NAME in it: the process is about to create NAME;
 * - `end-PID-START-NAMESPACE`: a process that has released them, and now removes them unless another one holds them;
 * - `has-NAME-INODE-BIRTH`: we created NAME, if it is still the same file or folder. The inode alone is not enough: file systems
 *   reuse inode numbers.
 */
const RECORDS = ".indus-sandbox";

/** Ample time for another process to remove a few names. */
const REMOVAL_MS = 10_000;

/** How often a process signals that it is alive to processes in other PID namespaces. */
const REFRESH_MS = 60_000;

/**
 * Creates the missing names in a folder to keep commands from creating them: only existing entries can be mounted read-only.
 * Each gets the type that its readers expect, empty and valid. Several processes can hold the same names; the last one removes
 * them. If this process is killed, the watchdog does it, or without a watchdog the next process that holds names there.
 */
export async function holdNames(folder: string, names: readonly string[]): Promise<HeldNames> {
  const hold = holds.get(folder) ?? { users: 0, will: undefined, refresh: undefined };
  holds.set(folder, hold);
  hold.users += 1;
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    hold.users -= 1;
    if (hold.users > 0) return;
    holds.delete(folder);
    clearInterval(hold.refresh);
    if (!hold.will) return;
    letGo(READER, releaseOf(folder));
    // Until then the watchdog might do the same again, which changes nothing.
    void hold.will.then(
      (withdraw) => withdraw(),
      () => {},
    );
  };
  try {
    const records = join(folder, RECORDS);
    refuseLink(records);
    const none = { paths: [], records: undefined, release };
    // The command cannot create names there either.
    if (isClosed(folder)) return { ...none, isShared: hasOthers(records, "by-") };
    // Before creating anything, so cleanup is always guaranteed.
    hold.will ??= leaveWill(willOf(releaseOf(folder)));
    await hold.will;
    if (!(await record(records))) return { ...none, isShared: false };
    hold.refresh ??= setInterval(() => refresh(records), REFRESH_MS).unref();
    for (const name of names) refuseLink(join(folder, name));
    const paths = names.filter((name) => take(folder, name)).map((name) => join(folder, name));
    return { paths, records, isShared: hasOthers(records, "by-"), release };
  } catch (thrown) {
    release();
    throw thrown instanceof SandboxError
      ? thrown
      : new SandboxError("unsafe", `${folder} cannot be protected: ${describeError(thrown)}`, {
          cause: thrown,
        });
  }
}

/** Why `holdNames` would fail for a folder, or `undefined`. Creates nothing. */
export function holdProblem(folder: string, names: readonly string[]): string | undefined {
  try {
    for (const name of [RECORDS, ...names]) refuseLink(join(folder, name));
    if (!isClosed(folder)) fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
    return undefined;
  } catch (thrown) {
    if (errorCode(thrown) === "EROFS") return undefined;
    return thrown instanceof SandboxError
      ? thrown.message
      : `${folder} cannot be protected: ${describeError(thrown)}`;
  }
}

/**
 * Which of the names in a folder are ours, not the user's: the records, and the names that any process holds. A folder without
 * records has none.
 */
export function heldNames(folder: string, names: readonly string[]): readonly string[] {
  if (!names.includes(RECORDS)) return [];
  const records = join(folder, RECORDS);
  // Read before the marks: an entry gets its mark before its note is removed.
  const making = READER.namesIn(records).flatMap((entry) => READER.namesIn(join(records, entry)));
  const isHeld = (name: string): boolean =>
    holdsName(folder, name) || (making.includes(name) && READER.isEmpty(join(folder, name), undefined));
  return [RECORDS, ...PROTECTED_IN_PROJECTS.filter((name) => names.includes(name) && isHeld(name))];
}

/** What this process holds: how many commands use it, and how to withdraw the will. */
interface Hold {
  users: number;
  will: Promise<() => void> | undefined;
  refresh: NodeJS.Timeout | undefined;
}

/** By folder. */
const holds = new Map<string, Hold>();

const READER = recordReader(fs);

/** This process in the records. */
const OWN = READER.self();

/** Records that this process holds names, and waits for others to remove theirs. False on a read-only disk. */
async function record(records: string): Promise<boolean> {
  const deadlineMs = performance.now() + REMOVAL_MS;
  for (;;) {
    try {
      // Recursive, because a process that removed its names may have just removed the folder.
      fs.mkdirSync(join(records, `by-${OWN}`), { recursive: true });
    } catch (thrown) {
      if (errorCode(thrown) === "EROFS") return false; // The command cannot create names there either.
      if (errorCode(thrown) !== "ENOENT") throw thrown;
    }
    // Here: write `by-`, then look for `end-`. `letGo`: write `end-`, then look for `by-`. So one always sees the other.
    if (!hasOthers(records, "end-") && exists(join(records, `by-${OWN}`))) return true;
    if (performance.now() > deadlineMs)
      throw new SandboxError("unsafe", `another process does not finish with ${records}; remove that folder`);
    await delay(2);
  }
}

function refresh(records: string): void {
  try {
    fs.utimesSync(join(records, `by-${OWN}`), new Date(), new Date());
  } catch {
    // The user removed the records.
  }
}

/** Creates a missing name. Returns whether what is there is ours. */
function take(folder: string, name: string): boolean {
  const records = join(folder, RECORDS);
  const path = join(folder, name);
  if (!exists(path)) {
    try {
      make(path, name, records);
    } catch (thrown) {
      if (errorCode(thrown) !== "EEXIST") throw thrown;
    }
  }
  if (holdsName(folder, name)) return true;
  const isOurs = (mark: Mark): boolean => READER.isOurs(path, mark.id, EMPTY_PROJECT_FILES[name]);
  // Someone used the name, so it is theirs now. Keep a mark that another process has just made.
  for (const mark of READER.marksIn(records))
    if (mark.name === name && !isOurs(mark))
      fs.rmSync(join(records, mark.entry), { recursive: true, force: true });
  return holdsName(folder, name);
}

/**
 * Where the inode is known in advance, marks the name before creating it, so cleanup is always guaranteed. A file appears with
 * its full content: a reader must not see half of it.
 */
function make(path: string, name: string, records: string): void {
  const text = EMPTY_PROJECT_FILES[name];
  const own = join(records, `by-${OWN}`);
  const mark = (at: string): string => join(records, `has-${name}-${READER.idOf(at) ?? ""}`);
  if (text !== undefined) {
    const written = join(own, "new");
    fs.writeFileSync(written, text, { flag: "wx" });
    const marked = mark(written);
    fs.mkdirSync(marked);
    try {
      return fs.linkSync(written, path);
    } catch (thrown) {
      fs.rmSync(marked, { recursive: true, force: true }); // Another process may have removed it already.
      if (errorCode(thrown) === "EEXIST") throw thrown; // Otherwise this file system has no hard links.
    } finally {
      fs.rmSync(written, { force: true });
    }
  }
  const making = join(own, name);
  fs.mkdirSync(making, { recursive: true });
  try {
    if (text === undefined) fs.mkdirSync(path);
    else fs.writeFileSync(path, text, { flag: "wx" });
    fs.mkdirSync(mark(path), { recursive: true });
  } finally {
    fs.rmdirSync(making);
  }
}

/** Whether this or another process of ours created what now has this name, and it is still unused. */
function holdsName(folder: string, name: string): boolean {
  return READER.marksIn(join(folder, RECORDS)).some(
    (mark) => mark.name === name && READER.isOurs(join(folder, name), mark.id, EMPTY_PROJECT_FILES[name]),
  );
}

/** Whether it belongs to another user and we cannot write to it. In our own folder a command could change the mode. */
function isClosed(folder: string): boolean {
  if (fs.statSync(folder).uid === process.geteuid?.()) return false;
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

function exists(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function refuseLink(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new SandboxError(
      "unsafe",
      `the link ${path} cannot be made read-only; replace it, or use --sandbox off`,
    );
}

/** Whether another living process has such a record. Throws if the records cannot be read. */
function hasOthers(records: string, kind: "by-" | "end-"): boolean {
  if (!exists(records)) return false;
  fs.accessSync(records, fs.constants.R_OK | fs.constants.X_OK);
  return READER.namesIn(records).some(
    (entry) => entry.startsWith(kind) && entry !== `${kind}${OWN}` && READER.isAlive(records, entry),
  );
}

interface Release {
  readonly folder: string;
  /** The process that held the names: this one, or the killed one that the watchdog cleans up after. */
  readonly holder: string;
  readonly names: readonly string[];
  readonly files: { readonly [name: string]: string };
}

function releaseOf(folder: string): Release {
  return { folder, holder: OWN, names: PROTECTED_IN_PROJECTS, files: EMPTY_PROJECT_FILES };
}

function willOf(release: Release): string {
  return `(${letGo.toString()})((${recordReader.toString()})(require("node:fs")), ${JSON.stringify(release)})`;
}

interface Mark {
  readonly entry: string;
  readonly name: string;
  readonly id: string;
}

/** Reads the records and the held names. Nothing here throws, follows a link or waits for a pipe. */
interface RecordReader {
  readonly disk: typeof fs;
  readonly attempt: <Result>(work: () => Result) => Result | undefined;
  readonly namesIn: (path: string) => readonly string[];
  readonly marksIn: (records: string) => readonly Mark[];
  /** This process in the records. Includes its start time, because PIDs are reused. */
  readonly self: () => string;
  readonly isAlive: (records: string, entry: string) => boolean;
  /** Unique to a file or folder. */
  readonly idOf: (path: string) => string | undefined;
  /** An empty folder, or a file with this text. */
  readonly isEmpty: (path: string, text: string | undefined) => boolean;
  readonly isOurs: (path: string, id: string, text: string | undefined) => boolean;
}

/** The watchdog runs the source of this function in a separate process, so it may use only its argument. */
function recordReader(disk: typeof fs): RecordReader {
  const attempt = <Result>(work: () => Result): Result | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  const namesIn = (path: string): readonly string[] =>
    attempt(() => (disk.lstatSync(path).isDirectory() ? disk.readdirSync(path) : undefined)) ?? [];
  const startOf = (pid: string | number): string | undefined =>
    attempt(() => {
      const text = disk.readFileSync(`/proc/${pid}/stat`, "latin1");
      return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
    });
  const namespace = attempt(() => disk.readlinkSync("/proc/self/ns/pid").replace(/\D+/g, "")) ?? "0";
  const idOf = (path: string): string | undefined =>
    attempt(() => {
      const { ino, birthtimeNs } = disk.lstatSync(path, { bigint: true });
      return `${ino}-${birthtimeNs}`;
    });
  const hasText = (path: string, text: string): boolean => {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = disk.constants;
    const file = disk.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const wanted = Buffer.from(text);
      const found = disk.fstatSync(file);
      if (!found.isFile() || found.size !== wanted.length) return false;
      const bytes = Buffer.alloc(wanted.length);
      return disk.readSync(file, bytes) === wanted.length && bytes.equals(wanted);
    } finally {
      disk.closeSync(file);
    }
  };
  const isEmpty = (path: string, text: string | undefined): boolean =>
    attempt(() =>
      text === undefined
        ? disk.lstatSync(path).isDirectory() && disk.readdirSync(path).length === 0
        : hasText(path, text),
    ) ?? false;
  return {
    disk,
    attempt,
    namesIn,
    marksIn: (records) =>
      namesIn(records).flatMap((entry) => {
        const [, name, id] = /^has-(.+?)-([0-9]+-[0-9]+)$/.exec(entry) ?? [];
        return name === undefined || id === undefined ? [] : [{ entry, name, id }];
      }),
    self: () => `${process.pid}-${startOf(process.pid) ?? "0"}-${namespace}`,
    isAlive: (records, entry) => {
      const [kind, pid = "", start, itsNamespace] = entry.split("-");
      if (itsNamespace === namespace) return startOf(pid) === start;
      // In another namespace, where we cannot see it. It signals every minute that it is alive; removing names takes no time.
      const seenMs = attempt(() => disk.lstatSync(`${records}/${entry}`).ctimeMs);
      return seenMs !== undefined && Math.abs(Date.now() - seenMs) < (kind === "by" ? 300_000 : 5_000);
    },
    idOf,
    isEmpty,
    isOurs: (path, id, text) => idOf(path) === id && isEmpty(path, text),
  };
}

/**
 * Ends the hold of a process, and removes the names if it was the last one. Keeps what others put there. Never throws. The
 * watchdog runs the source of this function too.
 */
function letGo(reader: RecordReader, { folder, holder, names, files }: Release): void {
  const { disk, attempt, namesIn } = reader;
  const records = `${folder}/.indus-sandbox`;
  const ending = `end-${reader.self()}`;
  attempt(() => disk.renameSync(`${records}/by-${holder}`, `${records}/${ending}`));
  attempt(() => disk.mkdirSync(`${records}/${ending}`));
  attempt(() => disk.utimesSync(`${records}/${ending}`, new Date(), new Date()));
  const entries = namesIn(records);
  const isOver = (entry: string): boolean =>
    entry === ending || (/^(?:by|end)-/.test(entry) && !reader.isAlive(records, entry));
  const over = entries.filter(isOver).map((entry) => `${records}/${entry}`);
  // An entry that a process was creating when it was killed has no mark yet. It appeared right after the note about it.
  const wasMade = (path: string, note: string): boolean => {
    const gapMs = attempt(() => disk.lstatSync(path).ctimeMs - disk.lstatSync(note).ctimeMs) ?? -1;
    return gapMs >= 0 && gapMs < 1_000;
  };
  for (const path of over)
    for (const name of namesIn(path).filter((each) => names.includes(each))) {
      const made = `${folder}/${name}`;
      if (wasMade(made, `${path}/${name}`) && reader.isEmpty(made, files[name]))
        attempt(() => disk.mkdirSync(`${records}/has-${name}-${reader.idOf(made)}`));
      attempt(() => disk.rmdirSync(`${path}/${name}`));
    }
  const isHeld = entries.some((entry) => entry.startsWith("by-") && reader.isAlive(records, entry));
  for (const { entry, name, id } of isHeld ? [] : reader.marksIn(records)) {
    const path = `${folder}/${name}`;
    if (names.includes(name) && reader.isOurs(path, id, files[name]))
      attempt(() => (files[name] === undefined ? disk.rmdirSync(path) : disk.unlinkSync(path)));
    attempt(() => disk.rmdirSync(`${records}/${entry}`));
  }
  for (const path of over) {
    attempt(() => disk.unlinkSync(`${path}/new`));
    attempt(() => disk.rmdirSync(path));
  }
  attempt(() => disk.rmdirSync(records));
}

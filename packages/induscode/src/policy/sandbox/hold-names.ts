import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describeError, errorCode, leaveWill } from "indusagi/core";
import { EMPTY_PROJECT_FILES, PROTECTED_IN_PROJECTS } from "../internal.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Names that are taken as long as a command runs. */
export interface HeldNames {
  /** What was made to take the names: an empty folder, or the file that its readers take for an empty one. */
  readonly paths: readonly string[];
  /** Our folder with the records of who holds the names. Undefined on a read-only disk. */
  readonly records: string | undefined;
  /** Another process holds names here: it runs commands in a sandbox of its own. */
  readonly isShared: boolean;
  release(): void;
}

/**
 * The folder with the records, inside the held folder: whoever can write there can see who else holds names. Nobody but us
 * reads this name, and git does not show it, because it holds nothing but empty folders:
 *
 * - `by-PID-START-NAMESPACE`: a process that holds the names. A folder NAME in it: the process is about to make that folder;
 * - `end-PID-START-NAMESPACE`: a process that has stopped holding them, and now removes them unless another one holds them;
 * - `has-NAME-INODE-BIRTH`: we made what has this name, if it still is the same file or folder. The inode alone would not
 *   tell: a file system gives the number of a removed file to the next one.
 */
const RECORDS = ".indus-sandbox";

/** Another process only removes a few names meanwhile. */
const REMOVAL_MS = 10_000;

/** How often a process shows that it is alive to those that cannot see it, in a container or outside of one. */
const REFRESH_MS = 60_000;

/**
 * Takes names in a folder that do not exist yet, so that a command cannot create them: only something that exists can be
 * mounted read-only. What takes a name is of the type that its readers expect, empty and valid. Several processes can hold
 * the same names; the last one removes them. If this process is killed, the watchdog does it, and without a watchdog the
 * next process that holds names there.
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
    // Until then the watchdog would do the same again, which changes nothing.
    void hold.will.then(
      (withdraw) => withdraw(),
      () => {},
    );
  };
  try {
    const records = join(folder, RECORDS);
    refuseLink(records);
    const none = { paths: [], records: undefined, release };
    // There the command cannot make a name either.
    if (isClosed(folder)) return { ...none, isShared: hasOthers(records, "by-") };
    // Before anything is made: there is no moment at which nobody would remove it.
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

/** Why no command that may write could run in a folder, as `holdNames` would tell. Makes nothing. */
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
 * Which of the names in a folder are ours: the records, and what now takes a name, of whichever process. The user did not
 * make them. A folder without records has none.
 */
export function heldNames(folder: string, names: readonly string[]): readonly string[] {
  if (!names.includes(RECORDS)) return [];
  const records = join(folder, RECORDS);
  // In this order: what is being made gets its mark before it stops being made.
  const making = READER.namesIn(records).flatMap((entry) => READER.namesIn(join(records, entry)));
  const isHeld = (name: string): boolean =>
    holdsName(folder, name) || (making.includes(name) && READER.isEmpty(join(folder, name), undefined));
  return [RECORDS, ...PROTECTED_IN_PROJECTS.filter((name) => names.includes(name) && isHeld(name))];
}

/** What this process holds: how many commands use it, and how to take the will back. */
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

/** Writes down that this process holds names, and waits for others to remove theirs. False on a read-only disk. */
async function record(records: string): Promise<boolean> {
  const deadlineMs = performance.now() + REMOVAL_MS;
  for (;;) {
    try {
      // Also if a process that removed its names has just removed the folder.
      fs.mkdirSync(join(records, `by-${OWN}`), { recursive: true });
    } catch (thrown) {
      if (errorCode(thrown) === "EROFS") return false; // There the command cannot make a name either.
      if (errorCode(thrown) !== "ENOENT") throw thrown;
    }
    // In this order here, and in the other order there: one of both sees the other.
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

/** Makes a name if there is nothing, and tells whether we made what is there. */
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
  // Somebody used the name: it belongs to them now. The mark that another process has just made stays.
  for (const mark of READER.marksIn(records))
    if (mark.name === name && !isOurs(mark))
      fs.rmSync(join(records, mark.entry), { recursive: true, force: true });
  return holdsName(folder, name);
}

/**
 * The mark is there before the name is, where the inode is known before: there is no moment at which nobody would remove it. A
 * file appears with its content: a reader must not meet half of it.
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
      if (errorCode(thrown) === "EEXIST") throw thrown; // Else this file system has no links.
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

/** Whether we, or another process of ours, made what has this name now, and nobody has used it. */
function holdsName(folder: string, name: string): boolean {
  return READER.marksIn(join(folder, RECORDS)).some(
    (mark) => mark.name === name && READER.isOurs(join(folder, name), mark.id, EMPTY_PROJECT_FILES[name]),
  );
}

/** It belongs to another user, who lets us make nothing in it. In our own folder a command could change that. */
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

/** Whether a living process besides this one has such a record. Throws if that cannot be seen. */
function hasOthers(records: string, kind: "by-" | "end-"): boolean {
  if (!exists(records)) return false;
  fs.accessSync(records, fs.constants.R_OK | fs.constants.X_OK);
  return READER.namesIn(records).some(
    (entry) => entry.startsWith(kind) && entry !== `${kind}${OWN}` && READER.isAlive(records, entry),
  );
}

interface Release {
  readonly folder: string;
  /** Who held the names: this process, or the one that the watchdog outlived. */
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

/** What is in the records and under the names. None of it throws, follows a link or waits for a pipe. */
interface RecordReader {
  readonly disk: typeof fs;
  readonly attempt: <Result>(work: () => Result) => Result | undefined;
  readonly namesIn: (path: string) => readonly string[];
  readonly marksIn: (records: string) => readonly Mark[];
  /** This process in the records. With the time of its start: another process may get its number later. */
  readonly self: () => string;
  readonly isAlive: (records: string, entry: string) => boolean;
  /** Another file or folder never has the same. */
  readonly idOf: (path: string) => string | undefined;
  /** An empty folder, or a file with this text. */
  readonly isEmpty: (path: string, text: string | undefined) => boolean;
  readonly isOurs: (path: string, id: string, text: string | undefined) => boolean;
}

/** The watchdog runs the text of this function in a program of its own: it uses nothing but its argument. */
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
      // We cannot see it. It shows every minute that it is alive, and removing a few names takes no time.
      const seenMs = attempt(() => disk.lstatSync(`${records}/${entry}`).ctimeMs);
      return seenMs !== undefined && Math.abs(Date.now() - seenMs) < (kind === "by" ? 300_000 : 5_000);
    },
    idOf,
    isEmpty,
    isOurs: (path, id, text) => idOf(path) === id && isEmpty(path, text),
  };
}

/**
 * Ends the hold of a process, and removes the names if it was the last one. What somebody else put there stays. Never
 * throws. The watchdog runs the text of this function too.
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
  // What a process was making when it was killed has no mark yet. It appeared right after the note about it.
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

import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describeError, errorCode, leaveWill, readProcRow } from "indusagi/core";
import { EMPTY_PROJECT_FILES } from "../policy/internal.ts";
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
 * - `by-PID-START`: a process that holds the names;
 * - `end-PID-START`: a process that has stopped holding them, and now removes them unless another one holds them;
 * - `has-NAME`: the name was made by us.
 */
const RECORDS = ".indus-sandbox";

/** Another process only removes a few names meanwhile. */
const REMOVAL_MS = 10_000;

/**
 * Takes names in a folder that do not exist yet, so that a command cannot create them: only something that exists can be
 * mounted read-only. What takes a name is of the type that its readers expect, empty and valid. Several processes can hold
 * the same names; the last one removes them. If this process is killed, the watchdog does it, and without a watchdog the
 * next process that holds names there.
 */
export async function holdNames(folder: string, names: readonly string[]): Promise<HeldNames> {
  const hold = holds.get(folder) ?? { users: 0, will: undefined };
  holds.set(folder, hold);
  hold.users += 1;
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    hold.users -= 1;
    if (hold.users > 0) return;
    holds.delete(folder);
    if (!hold.will) return;
    letGo(fs, { folder, holder: OWN, files: EMPTY_PROJECT_FILES });
    // Until then the watchdog would do the same again, which changes nothing.
    void hold.will.then(
      (withdraw) => withdraw(),
      () => {},
    );
  };
  try {
    const records = join(folder, RECORDS);
    refuseLink(records);
    // Before anything is made: there is no moment at which nobody would remove it.
    hold.will ??= leaveWill(willOf({ folder, holder: OWN, files: EMPTY_PROJECT_FILES }));
    await hold.will;
    if (!(await record(records))) return { paths: [], records: undefined, isShared: false, release };
    const wanted = names.map((name) => join(folder, name));
    for (const path of wanted) refuseLink(path);
    const paths = wanted.filter((path) => take(path, records));
    return { paths, records, isShared: othersIn(records, "by-").length > 0, release };
  } catch (thrown) {
    release();
    throw thrown instanceof SandboxError
      ? thrown
      : new SandboxError("unsafe", `${folder} cannot be protected: ${describeError(thrown)}`, {
          cause: thrown,
        });
  }
}

/** Our records, and the files that now take a name in a folder, of whichever process: the user did not make them. */
export function heldFiles(folder: string): readonly string[] {
  const records = join(folder, RECORDS);
  if (!exists(records)) return [];
  const files = Object.entries(EMPTY_PROJECT_FILES).flatMap(([name, text]) => {
    const path = join(folder, name);
    return exists(join(records, `has-${name}`)) && isEmpty(path, text) ? [path] : [];
  });
  return [records, ...files];
}

/** What this process holds: how many commands use it, and how to take the will back. */
interface Hold {
  users: number;
  will: Promise<() => void> | undefined;
}

/** By folder. */
const holds = new Map<string, Hold>();

/** This process in the records. With the time of its start: another process may get its number later. */
const OWN = `${process.pid}-${readProcRow(process.pid)?.startTime ?? 0}`;

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
    if (othersIn(records, "end-").length === 0 && exists(join(records, `by-${OWN}`))) return true;
    if (performance.now() > deadlineMs)
      throw new SandboxError("unsafe", `another process does not finish with ${records}; remove that folder`);
    await delay(2);
  }
}

/** Makes a name if there is nothing, and tells whether we made what is there. */
function take(path: string, records: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const mark = join(records, `has-${name}`);
  if (!exists(path)) {
    fs.mkdirSync(mark, { recursive: true });
    try {
      make(path, EMPTY_PROJECT_FILES[name], records);
    } catch (thrown) {
      if (errorCode(thrown) !== "EEXIST") throw thrown;
    }
  }
  if (!exists(mark)) return false;
  if (isEmpty(path, EMPTY_PROJECT_FILES[name])) return true;
  fs.rmSync(mark, { recursive: true, force: true }); // Somebody used the name: it belongs to them now.
  return false;
}

/** A file appears with its content: a reader must not meet half of it. */
function make(path: string, text: string | undefined, records: string): void {
  if (text === undefined) return fs.mkdirSync(path);
  const written = join(records, `by-${OWN}`, "new");
  fs.writeFileSync(written, text);
  try {
    fs.linkSync(written, path);
  } catch (thrown) {
    if (errorCode(thrown) === "EEXIST") throw thrown;
    fs.writeFileSync(path, text, { flag: "wx" }); // This file system has no links.
  } finally {
    fs.rmSync(written, { force: true });
  }
}

function isEmpty(path: string, text: string | undefined): boolean {
  try {
    return text === undefined ? fs.readdirSync(path).length === 0 : fs.readFileSync(path, "utf8") === text;
  } catch {
    return false; // Another type, or we may not read it.
  }
}

function exists(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    if (errorCode(thrown) === "ENOTDIR") return false;
    throw thrown;
  }
}

function refuseLink(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new SandboxError(
      "unsafe",
      `the link ${path} cannot be made read-only; replace it, or use --sandbox off`,
    );
}

/** The living processes besides this one with such a record. */
function othersIn(records: string, kind: "by-" | "end-"): readonly string[] {
  let entries: readonly string[];
  try {
    entries = fs.readdirSync(records);
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return [];
    throw thrown;
  }
  return entries
    .filter((entry) => entry.startsWith(kind) && entry !== `${kind}${OWN}`)
    .filter((entry) => {
      const [, pid = "", start] = entry.split("-");
      return readProcRow(pid)?.startTime === Number(start);
    });
}

interface Release {
  readonly folder: string;
  /** Who held the names: this process, or the one that the watchdog outlived. */
  readonly holder: string;
  readonly files: { readonly [name: string]: string };
}

function willOf(release: Release): string {
  return `(${letGo.toString()})(require("node:fs"), ${JSON.stringify(release)})`;
}

/**
 * Ends the hold of a process, and removes the names if it was the last one. What somebody else put there stays. Never
 * throws. The watchdog runs the text of this function in a program of its own: it uses nothing but its arguments.
 */
function letGo(disk: typeof fs, { folder, holder, files }: Release): void {
  const records = `${folder}/.indus-sandbox`;
  const attempt = <Result>(work: () => Result): Result | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  const startOf = (pid: string | number): string | undefined =>
    attempt(() => {
      const text = disk.readFileSync(`/proc/${pid}/stat`, "latin1");
      return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
    });
  const isAlive = (entry: string): boolean => {
    const [, pid = "", start] = entry.split("-");
    return startOf(pid) === start;
  };
  const ending = `${records}/end-${process.pid}-${startOf(process.pid) ?? "0"}`;
  attempt(() => disk.renameSync(`${records}/by-${holder}`, ending));
  attempt(() => disk.mkdirSync(ending));
  const entries = attempt(() => disk.readdirSync(records)) ?? [];
  const isHeld = entries.some((entry) => entry.startsWith("by-") && isAlive(entry));
  for (const entry of isHeld ? [] : entries.filter((each) => each.startsWith("has-"))) {
    const name = entry.slice("has-".length);
    const path = `${folder}/${name}`;
    const text = files[name];
    // A folder that is not empty stays by itself.
    if (text === undefined) attempt(() => disk.rmdirSync(path));
    else if (attempt(() => disk.readFileSync(path, "utf8")) === text) attempt(() => disk.unlinkSync(path));
    attempt(() => disk.rmdirSync(`${records}/${entry}`));
  }
  const dead = entries.filter((each) => !each.startsWith("has-") && !isAlive(each));
  for (const path of [...dead.map((entry) => `${records}/${entry}`), ending]) {
    attempt(() => disk.unlinkSync(`${path}/new`));
    attempt(() => disk.rmdirSync(path));
  }
  attempt(() => disk.rmdirSync(records));
}

import { constants } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type Disk, replaceFile, sweepTempFiles } from "../../../core/files/index.ts";
import { errorCode, isInside, type Roots } from "../../../core/index.ts";
import {
  type Fs,
  type FsDirEntry,
  type FsEntryInfo,
  FsError,
  type FsFile,
  type FsRmOptions,
  type FsWriteOptions,
} from "../../contract/index.ts";
import { dirEntry, entryInfo, isSameVersion } from "./entry-info.ts";
import { followPath } from "./follow-path.ts";
import { pathInMessage, refusal, withFsErrors } from "./fs-error.ts";
import { type AnchoredDir, anchorDir, closeQuietly, type HeldPath, holdPath } from "./held-path.ts";
import { nodeDisk } from "./node-disk.ts";
import {
  fillBuffer,
  lstatOrNothing,
  type OpenedFile,
  openFile,
  openTarget,
  type WriteTarget,
} from "./open-file.ts";
import { windowsPathProblem } from "./windows-path.ts";

export interface LocalFsOptions {
  /** Folders that may be read. Default `any`. */
  readonly read?: Roots;
  /** Folders that may be written to. Default `any`. */
  readonly write?: Roots;
  /** The system calls to use. Default: Node's. */
  readonly disk?: Disk;
  /** Temporary files of dead processes are removed once they are this old. Default one minute. */
  readonly sweepAfterMs?: number;
}

type Access = "read" | "write";

/** This machine's files behind the `Fs` port. Links and `..` are followed first; then the real path is checked. */
export class ConfinedFs implements Fs {
  readonly #disk: Disk;
  readonly #sweepAfterMs: number | undefined;
  readonly #swept = new Set<string>();
  readonly #roots: { readonly [access in Access]: Roots };
  readonly #realRoots = new Map<Access, Roots>();

  constructor(options: LocalFsOptions) {
    this.#disk = options.disk ?? nodeDisk;
    this.#sweepAfterMs = options.sweepAfterMs;
    this.#roots = { read: options.read ?? "any", write: options.write ?? "any" };
  }

  async readText(path: string): Promise<string> {
    return new TextDecoder().decode(await this.readBytes(path));
  }

  async readBytes(path: string): Promise<Uint8Array> {
    const { handle } = await this.#openAllowed(path);
    try {
      return await withFsErrors(path, () => handle.readFile());
    } finally {
      await closeQuietly(handle);
    }
  }

  async open(path: string): Promise<FsFile> {
    const { handle, stats, realPath } = await this.#openAllowed(path);
    return {
      path: realPath,
      info: entryInfo(stats),
      read: (position, length, into) => {
        const hasRoom = into && into.length >= length;
        const buffer = hasRoom ? into.subarray(0, length) : Buffer.allocUnsafe(length);
        return withFsErrors(path, () => fillBuffer(handle, position, buffer));
      },
      close: () => closeQuietly(handle),
    };
  }

  writeFile(path: string, content: string | Uint8Array, options: FsWriteOptions = {}): Promise<void> {
    return withFsErrors(path, async () => {
      const realPath = await this.#allowed(path, "write");
      const checkFolder = (dir: AnchoredDir): Promise<void> => this.#check(dir.realPath, path, "write");
      const target = await openTarget(this.#disk, realPath, { path, checkFolder });
      try {
        await this.#sweepOnce(target.dir);
        const bytes = typeof content === "string" ? Buffer.from(content) : content;
        await writeTarget(this.#disk, { ...target, content: bytes, options, path });
      } finally {
        await target.dir.close();
      }
    });
  }

  stat(path: string, options: { readonly followLinks?: boolean } = {}): Promise<FsEntryInfo> {
    if (options.followLinks !== false) {
      return withFsErrors(path, () => this.#holding(path, async (held) => entryInfo(await held.stat())));
    }
    return this.#inParent(path, "read", async (dir, name) =>
      entryInfo(await this.#disk.lstat(dir.child(name))),
    );
  }

  readDir(path: string): Promise<readonly FsDirEntry[]> {
    return withFsErrors(path, async () => {
      // Checked before it is held, too: a folder outside must look the same as a missing one.
      const dir = await anchorDir(this.#disk, await this.#allowed(path, "read"));
      try {
        await this.#check(dir.realPath, path, "read");
        return (await this.#disk.readdir(dir.self)).map(dirEntry);
      } finally {
        await dir.close();
      }
    });
  }

  readLink(path: string): Promise<string> {
    return this.#inParent(path, "read", (dir, name) => this.#disk.readlink(dir.child(name)));
  }

  resolve(path: string): Promise<string> {
    return withFsErrors(path, () => this.#allowed(path, "read"));
  }

  mkdir(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    if (!options.recursive) {
      return this.#inParent(path, "write", (dir, name) => this.#disk.mkdir(dir.child(name)));
    }
    return withFsErrors(path, async () => {
      const realPath = await this.#allowed(path, "write");
      return makeDirs(this.#disk, realPath, (dir) => this.#check(dir.realPath, path, "write"));
    });
  }

  async rm(path: string, { recursive = false, ignoreMissing = false }: FsRmOptions = {}): Promise<void> {
    try {
      await this.#inParent(path, "write", (dir, name) => removeTree(this.#disk, dir, name, recursive));
    } catch (thrown) {
      if (ignoreMissing && thrown instanceof FsError && thrown.kind === "not_found") return;
      throw thrown;
    }
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path);
      return true;
    } catch {
      return false;
    }
  }

  #openAllowed(path: string): Promise<OpenedFile & { readonly realPath: string }> {
    return withFsErrors(path, () =>
      this.#holding(path, async (held) => ({
        ...(await openFile(this.#disk, held, path)),
        realPath: held.realPath,
      })),
    );
  }

  /** Holds a path that may be read and checks what is held: its name may refer to something else by now. */
  async #holding<Value>(path: string, step: (held: HeldPath) => Promise<Value>): Promise<Value> {
    const held = await holdPath(this.#disk, await this.#allowed(path, "read"));
    try {
      await this.#check(held.realPath, path, "read");
      return await step(held);
    } finally {
      await held.close();
    }
  }

  /** Runs a step with a name itself, which may be a link, in its held parent folder. */
  #inParent<Value>(
    path: string,
    access: Access,
    step: (dir: AnchoredDir, name: string) => Promise<Value>,
  ): Promise<Value> {
    return withFsErrors(path, async () => {
      const whole = await this.#valid(path, access);
      const [parent, name] = [dirname(whole), basename(whole)];
      if (name === "") throw refusal("invalid_path", path, "not possible with the root of the disk");
      // A root may be read, but not created, removed or replaced: that would be a change outside of it.
      const checkFolder = (folder: string): Promise<void> =>
        this.#check(access === "read" ? join(folder, name) : folder, path, access);
      const { realPath: realParent, stopped } = await followPath(this.#disk, parent);
      await checkFolder(realParent);
      if (stopped) throw stopped;
      const dir = await anchorDir(this.#disk, realParent);
      try {
        await checkFolder(dir.realPath);
        return await step(dir, name);
      } finally {
        await dir.close();
      }
    });
  }

  /** The real path, if it may be used. Checked first: an error about a place outside would reveal something about it. */
  async #allowed(path: string, access: Access): Promise<string> {
    const { realPath, stopped } = await followPath(this.#disk, await this.#valid(path, access));
    await this.#check(realPath, path, access);
    if (stopped) throw stopped;
    return realPath;
  }

  /** The path without `.`, `..` and repeated separators, so its last part is a plain name. */
  async #valid(path: string, access: Access): Promise<string> {
    if (path.includes("\0")) throw refusal("invalid_path", path, "path contains a NUL character");
    if (!isAbsolute(path)) throw refusal("invalid_path", path, "path must be absolute");
    const plain = resolve(path);
    if (process.platform !== "win32") return plain;
    const given = this.#roots[access];
    const real = await this.#rootsFor(access);
    const problem = windowsPathProblem(
      plain,
      given === "any" || real === "any" ? "any" : [...given, ...real],
    );
    if (problem) throw refusal(problem.kind, path, problem.message);
    return plain;
  }

  async #check(realPath: string, path: string, access: Access): Promise<void> {
    const roots = await this.#rootsFor(access);
    if (isInside(realPath, roots)) return;
    const allowed = roots === "any" ? "" : roots.map(pathInMessage).join(", ");
    throw refusal("outside", path, `outside the folders that may be ${PAST[access]} (${allowed})`);
  }

  async #rootsFor(access: Access): Promise<Roots> {
    const known = this.#realRoots.get(access);
    if (known) return known;
    const given = this.#roots[access];
    const real = given === "any" ? given : await Promise.all(given.map((root) => this.#realRoot(root)));
    this.#realRoots.set(access, real);
    return real;
  }

  async #realRoot(root: string): Promise<string> {
    const { realPath, stopped } = await followPath(this.#disk, resolve(root));
    if (stopped) throw stopped;
    return realPath;
  }

  async #sweepOnce(dir: AnchoredDir): Promise<void> {
    if (this.#swept.has(dir.realPath)) return;
    this.#swept.add(dir.realPath);
    await sweepTempFiles(this.#disk, dir, { olderThanMs: this.#sweepAfterMs });
  }
}

const PAST: { readonly [access in Access]: string } = { read: "read", write: "written to" };

interface FileWrite extends WriteTarget {
  readonly content: Uint8Array;
  readonly options: FsWriteOptions;
  /** The path as the caller knows it. */
  readonly path: string;
}

/** Writes a file in one step, if it may be written to and is still what the caller expects. */
async function writeTarget(disk: Disk, write: FileWrite): Promise<void> {
  const { dir, name, existing, content, options, path } = write;
  if (existing && options.onlyNew) throw refusal("exists", path, "already exists");
  // A rename needs only the folder's permission, but a file that may not be written to must not be replaced either.
  if (existing) await disk.access(dir.child(name), constants.W_OK);
  const { mode, onlyNew } = options;
  const check = (): Promise<void> => assertAsExpected(disk, write);
  await replaceFile(disk, { folder: dir, name, content, existing, mode, onlyNew, check });
}

async function assertAsExpected(disk: Disk, { dir, name, options, path }: FileWrite): Promise<void> {
  if (!options.onlyIf) return;
  const now = await lstatOrNothing(disk, dir.child(name));
  if (now && isSameVersion(options.onlyIf, entryInfo(now))) return;
  throw refusal("changed", path, "changed by another program meanwhile");
}

/**
 * Creates a directory and its missing parents, each inside its held parent, so a link put there meanwhile is never
 * followed. `checkFolder` is called for each folder and may refuse it.
 */
async function makeDirs(
  disk: Disk,
  path: string,
  checkFolder: (dir: AnchoredDir) => Promise<void>,
): Promise<void> {
  const missing: string[] = [];
  let dir = await deepestExisting(disk, path, missing);
  try {
    await checkFolder(dir);
    for (const name of missing) {
      const next = await enterMade(disk, dir, name);
      await dir.close();
      dir = next;
      await checkFolder(dir);
    }
  } finally {
    await dir.close();
  }
}

async function deepestExisting(disk: Disk, path: string, missing: string[]): Promise<AnchoredDir> {
  let here = path;
  for (;;) {
    try {
      return await anchorDir(disk, here);
    } catch (thrown) {
      if (errorCode(thrown) !== "ENOENT" || here === dirname(here)) throw thrown;
      missing.unshift(basename(here));
      here = dirname(here);
    }
  }
}

async function enterMade(disk: Disk, dir: AnchoredDir, name: string): Promise<AnchoredDir> {
  try {
    await disk.mkdir(dir.child(name));
  } catch (thrown) {
    if (errorCode(thrown) !== "EEXIST") throw thrown; // Created by another program meanwhile.
  }
  return anchorDir(disk, dir.child(name), { noFollow: true });
}

/**
 * Removes a name, and with `recursive` everything below it. Folders are held before they are entered: if a folder is
 * replaced by a link, the link is removed and not followed.
 */
async function removeTree(disk: Disk, dir: AnchoredDir, name: string, recursive: boolean): Promise<void> {
  const path = dir.child(name);
  if (!(await disk.lstat(path)).isDirectory()) return disk.unlink(path);
  if (!recursive) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
  const inner = await anchorDir(disk, path, { noFollow: true });
  try {
    for (const entry of await disk.readdir(inner.self)) await removeIfThere(disk, inner, entry.name);
  } finally {
    await inner.close();
  }
  await disk.rmdir(path);
}

/** Another program may remove the same files. */
async function removeIfThere(disk: Disk, dir: AnchoredDir, name: string): Promise<void> {
  try {
    await removeTree(disk, dir, name, true);
  } catch (thrown) {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
  }
}

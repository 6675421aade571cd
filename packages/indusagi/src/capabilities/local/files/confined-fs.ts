import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { sweepTempFiles } from "../../../core/files/index.ts";
import { isInside, type Roots } from "../../../core/index.ts";
import {
  type Fs,
  type FsDirEntry,
  type FsEntryInfo,
  FsError,
  type FsFile,
  type FsRmOptions,
  type FsWriteOptions,
} from "../../contract/index.ts";
import { type AnchoredDir, anchorDir } from "./anchored-dir.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { dirEntry, entryInfo } from "./entry-info.ts";
import { followPath } from "./follow-path.ts";
import { naming, pathInMessage, refusal } from "./fs-error.ts";
import { closeQuietly, type HeldPath, holdPath } from "./held-path.ts";
import type { LocalFsOptions } from "./local-fs-options.ts";
import { makeDirs } from "./make-dirs.ts";
import { type OpenedFile, openFile, readFully } from "./open-file.ts";
import { removeTree } from "./remove-tree.ts";
import { writeFile } from "./write-file.ts";
import { openTarget } from "./write-target.ts";

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
      return await naming(path, () => handle.readFile());
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
        return naming(path, () => readFully(handle, position, buffer));
      },
      close: () => closeQuietly(handle),
    };
  }

  writeFile(path: string, content: string | Uint8Array, options: FsWriteOptions = {}): Promise<void> {
    return naming(path, async () => {
      const realPath = await this.#allowed(path, "write");
      const judge = (dir: AnchoredDir): Promise<void> => this.#check(dir.realPath, path, "write");
      const target = await openTarget(this.#disk, realPath, { path, judge });
      try {
        await this.#sweepOnce(target.dir);
        const bytes = typeof content === "string" ? Buffer.from(content) : content;
        await writeFile(this.#disk, { ...target, content: bytes, options, path });
      } finally {
        await target.dir.close();
      }
    });
  }

  stat(path: string, options: { readonly followLinks?: boolean } = {}): Promise<FsEntryInfo> {
    if (options.followLinks !== false) {
      return naming(path, () => this.#holding(path, async (held) => entryInfo(await held.stat())));
    }
    return this.#inParent(path, "read", async (dir, name) =>
      entryInfo(await this.#disk.lstat(dir.child(name))),
    );
  }

  readDir(path: string): Promise<readonly FsDirEntry[]> {
    return naming(path, async () => {
      // Also checked before it is held: a folder outside must look the same as a missing one.
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
    return naming(path, () => this.#allowed(path, "read"));
  }

  mkdir(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    if (!options.recursive) {
      return this.#inParent(path, "write", (dir, name) => this.#disk.mkdir(dir.child(name)));
    }
    return naming(path, async () => {
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
    return naming(path, () =>
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
    return naming(path, async () => {
      const [parent, name] = [dirname(valid(path)), basename(valid(path))];
      if (name === "") throw refusal("invalid_path", path, "not possible with the root of the disk");
      // A root may be read, but not created, removed or replaced: that would be a change outside of it.
      const judge = (folder: string): Promise<void> =>
        this.#check(access === "read" ? join(folder, name) : folder, path, access);
      const { realPath: realParent, stopped } = await followPath(this.#disk, parent);
      await judge(realParent);
      if (stopped) throw stopped;
      const dir = await anchorDir(this.#disk, realParent);
      try {
        await judge(dir.realPath);
        return await step(dir, name);
      } finally {
        await dir.close();
      }
    });
  }

  /** The real path, if it may be used. Checked first: an error about a place outside would reveal something about it. */
  async #allowed(path: string, access: Access): Promise<string> {
    const { realPath, stopped } = await followPath(this.#disk, valid(path));
    await this.#check(realPath, path, access);
    if (stopped) throw stopped;
    return realPath;
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

/** The path without `.`, `..` and repeated separators, so that its last part is a plain name. */
function valid(path: string): string {
  if (path.includes("\0")) throw refusal("invalid_path", path, "path contains a NUL character");
  if (!isAbsolute(path)) throw refusal("invalid_path", path, "path must be absolute");
  return resolve(path);
}

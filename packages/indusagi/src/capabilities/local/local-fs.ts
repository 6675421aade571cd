import { basename, dirname, isAbsolute, resolve } from "node:path";
import { nowMs } from "../../core/index.ts";
import {
  type Fs,
  type FsDirEntry,
  type FsEntryInfo,
  FsError,
  type FsFile,
  type FsRmOptions,
  type FsWriteOptions,
} from "../contract/index.ts";
import { type AnchoredDir, anchorDir, openedPath } from "./anchored-dir.ts";
import { type Disk, type DiskHandle, nodeDisk } from "./disk.ts";
import { dirEntry, entryInfo } from "./entry-info.ts";
import { naming } from "./fs-error.ts";
import { makeDirs } from "./make-dirs.ts";
import { openFile, readFully } from "./open-file.ts";
import { realPathOf } from "./real-path.ts";
import { replaceFile } from "./replace-file.ts";
import { isInside, type Roots } from "./roots.ts";
import { sweepTempFiles } from "./temp-files.ts";
import { openTarget } from "./write-target.ts";

export interface LocalFsOptions {
  /** Folders that may be read. Default `any`. */
  readonly read?: Roots;
  /** Folders that may be written to. Default `any`. */
  readonly write?: Roots;
  /** The system calls beneath. */
  readonly disk?: Disk;
  /** Temporary files of dead processes are removed once they are this old. Default one minute. */
  readonly sweepAfterMs?: number;
}

type Access = "read" | "write";

const localBackends = new WeakSet<Fs>();

/** Whether a backend is this machine's own file system, so that a program such as ripgrep sees the same files. */
export function isLocalFs(fs: Fs): boolean {
  return localBackends.has(fs);
}

/** This machine's file system, confined to the given folders: links and `..` are followed first and judged after. */
export function localFs(options: LocalFsOptions = {}): Fs {
  const fs = new LocalFs(options);
  localBackends.add(fs);
  return fs;
}

class LocalFs implements Fs {
  readonly #disk: Disk;
  readonly #sweepAfterMs: number;
  readonly #swept = new Set<string>();
  readonly #roots: { readonly [access in Access]: Roots };
  readonly #realRoots = new Map<Access, Roots>();

  constructor(options: LocalFsOptions) {
    this.#disk = options.disk ?? nodeDisk;
    this.#sweepAfterMs = options.sweepAfterMs ?? 60_000;
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
      await handle.close();
    }
  }

  async open(path: string): Promise<FsFile> {
    const { handle, realPath } = await this.#openAllowed(path);
    return {
      path: realPath,
      info: entryInfo(await handle.stat()),
      read: (position, length) => naming(path, () => readFully(handle, position, length)),
      close: () => handle.close(),
    };
  }

  writeFile(path: string, content: string | Uint8Array, options: FsWriteOptions = {}): Promise<void> {
    return naming(path, async () => {
      const target = await openTarget(this.#disk, valid(path), (dir) => this.#check(dir.realPath, path, "write"));
      try {
        await this.#sweepOnce(target.dir);
        const bytes = typeof content === "string" ? Buffer.from(content) : content;
        await replaceFile(this.#disk, { ...target, content: bytes, options, path });
      } finally {
        await target.dir.close();
      }
    });
  }

  stat(path: string, options: { readonly followLinks?: boolean } = {}): Promise<FsEntryInfo> {
    if (options.followLinks === false) {
      return this.#inParent(path, "read", async (dir, name) => entryInfo(await this.#disk.lstat(dir.child(name))));
    }
    return naming(path, async () => entryInfo(await this.#disk.stat(await this.#allowed(path, "read"))));
  }

  readDir(path: string): Promise<readonly FsDirEntry[]> {
    return this.#inDir(path, "read", async (dir) => (await this.#disk.readdir(dir.self)).map(dirEntry));
  }

  readLink(path: string): Promise<string> {
    return this.#inParent(path, "read", (dir, name) => this.#disk.readlink(dir.child(name)));
  }

  resolve(path: string): Promise<string> {
    return naming(path, () => this.#allowed(path, "read"));
  }

  mkdir(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    if (!options.recursive) return this.#inParent(path, "write", (dir, name) => this.#disk.mkdir(dir.child(name)));
    return naming(path, () => makeDirs(this.#disk, valid(path), (dir) => this.#check(dir.realPath, path, "write")));
  }

  async rm(path: string, options: FsRmOptions = {}): Promise<void> {
    const how = { recursive: options.recursive ?? false, force: false };
    try {
      await this.#inParent(path, "write", (dir, name) => this.#disk.rm(dir.child(name), how));
    } catch (thrown) {
      if (options.ignoreMissing && thrown instanceof FsError && thrown.kind === "not_found") return;
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

  /** Opens a regular file and judges where the open file is, not where its name led a moment ago. */
  #openAllowed(path: string): Promise<{ readonly handle: DiskHandle; readonly realPath: string }> {
    return naming(path, async () => {
      const allowed = await this.#allowed(path, "read");
      const handle = await openFile(this.#disk, allowed);
      try {
        const realPath = await openedPath(this.#disk, handle, allowed);
        await this.#check(realPath, path, "read");
        return { handle, realPath };
      } catch (thrown) {
        await handle.close();
        throw thrown;
      }
    });
  }

  #inDir<Value>(path: string, access: Access, step: (dir: AnchoredDir) => Promise<Value>): Promise<Value> {
    return naming(path, async () => {
      // Judged before it is opened as well: a folder outside must not even be told apart from a missing one.
      const dir = await anchorDir(this.#disk, await this.#allowed(path, access));
      try {
        await this.#check(dir.realPath, path, access);
        return await step(dir);
      } finally {
        await dir.close();
      }
    });
  }

  #inParent<Value>(
    path: string,
    access: Access,
    step: (dir: AnchoredDir, name: string) => Promise<Value>,
  ): Promise<Value> {
    return naming(path, () => this.#inDir(dirname(valid(path)), access, (dir) => naming(path, () => step(dir, basename(path)))));
  }

  async #allowed(path: string, access: Access): Promise<string> {
    const realPath = await realPathOf(this.#disk, valid(path));
    await this.#check(realPath, path, access);
    return realPath;
  }

  async #check(realPath: string, path: string, access: Access): Promise<void> {
    const roots = await this.#rootsFor(access);
    if (isInside(realPath, roots)) return;
    const allowed = roots === "any" ? "" : roots.join(", ");
    throw new FsError("outside", path, `outside the folders that may be ${PAST[access]} (${allowed}): ${path}`);
  }

  async #rootsFor(access: Access): Promise<Roots> {
    const known = this.#realRoots.get(access);
    if (known) return known;
    const given = this.#roots[access];
    const real = given === "any" ? given : await Promise.all(given.map((root) => realPathOf(this.#disk, resolve(root))));
    this.#realRoots.set(access, real);
    return real;
  }

  async #sweepOnce(dir: AnchoredDir): Promise<void> {
    if (this.#swept.has(dir.realPath)) return;
    this.#swept.add(dir.realPath);
    await sweepTempFiles(this.#disk, dir, { olderThanMs: this.#sweepAfterMs, nowMs: nowMs() });
  }
}

const PAST: { readonly [access in Access]: string } = { read: "read", write: "written to" };

function valid(path: string): string {
  if (path.includes("\0")) throw new FsError("invalid_path", path, `path has a NUL character: ${JSON.stringify(path)}`);
  if (!isAbsolute(path)) throw new FsError("invalid_path", path, `path must be absolute: ${path}`);
  return path;
}

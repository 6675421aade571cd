import type { Disk, DiskHandle } from "indusagi/capabilities";
import { nodeDisk } from "../../../../src/capabilities/local/files/disk.ts";

/** Which disk call fails, and how. */
export interface Fault {
  /** Counted from 1, over all calls. */
  readonly call: number;
  readonly code: string;
  /** `refused`: nothing is done. `done`: the call is done, but reported as failed. `short`: half of a write is done. */
  readonly how: "refused" | "done" | "short";
}

export interface FaultyDisk {
  readonly disk: Disk;
  /** The calls made so far, by name. */
  readonly calls: string[];
  /** Descriptors opened and not closed. */
  readonly open: Set<DiskHandle>;
}

/** The real disk with one failing call. */
export function faultyDisk(fault?: Fault): FaultyDisk {
  const calls: string[] = [];
  const open = new Set<DiskHandle>();

  const guarded = async <Value>(
    name: string,
    act: () => Promise<Value>,
    half?: () => Promise<void>,
  ): Promise<Value> => {
    calls.push(name);
    if (!fault || calls.length !== fault.call) return act();
    if (fault.how === "short") await half?.();
    // Closed here, because the caller does not get the handle.
    if (fault.how === "done" || name === "close") await closeIfHandle(await act());
    throw Object.assign(new Error(`${fault.code}: injected into ${name}, '/internal/path'`), {
      code: fault.code,
    });
  };

  const handleOf = (handle: DiskHandle): DiskHandle => {
    const wrapped: DiskHandle = {
      fd: handle.fd,
      stat: () => guarded("fstat", () => handle.stat()),
      read: (...args) => guarded("read", () => handle.read(...args)),
      readFile: () => guarded("readFile", () => handle.readFile()),
      writeFile: (content) =>
        guarded(
          "write",
          () => handle.writeFile(content),
          () => handle.writeFile(content.subarray(0, Math.floor(content.length / 2))),
        ),
      chmod: (mode) => guarded("fchmod", () => handle.chmod(mode)),
      chown: (uid, gid) => guarded("fchown", () => handle.chown(uid, gid)),
      sync: () => guarded("fsync", () => handle.sync()),
      close: () => {
        open.delete(wrapped);
        return guarded("close", () => handle.close());
      },
    };
    open.add(wrapped);
    return wrapped;
  };

  const wrap =
    <Args extends unknown[], Value>(name: string, act: (...args: Args) => Promise<Value>) =>
    (...args: Args): Promise<Value> =>
      guarded(name, () => act(...args));
  const disk: Disk = {
    open: async (...args) => handleOf(await guarded("open", () => nodeDisk.open(...args))),
    access: wrap("access", nodeDisk.access),
    stat: wrap("stat", nodeDisk.stat),
    lstat: wrap("lstat", nodeDisk.lstat),
    readdir: wrap("readdir", nodeDisk.readdir),
    readlink: wrap("readlink", nodeDisk.readlink),
    realpath: wrap("realpath", nodeDisk.realpath),
    rename: wrap("rename", nodeDisk.rename),
    link: wrap("link", nodeDisk.link),
    unlink: wrap("unlink", nodeDisk.unlink),
    mkdir: wrap("mkdir", nodeDisk.mkdir),
    rmdir: wrap("rmdir", nodeDisk.rmdir),
    ...(nodeDisk.fdPath ? { fdPath: nodeDisk.fdPath } : {}),
  };
  return { disk, calls, open };
}

async function closeIfHandle(value: unknown): Promise<void> {
  if (typeof value === "object" && value !== null && "close" in value) await (value as DiskHandle).close();
}

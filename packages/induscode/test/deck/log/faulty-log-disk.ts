import { type LogDisk, type LogFile, localLogDisk } from "induscode/deck";

/** The faults that a disk can be given. They are checked before each real operation. */
interface DiskFaults {
  /** The most bytes that one write takes. */
  takes?: number;
  /** The most bytes that one read returns. */
  gives?: number;
  /** Space left for all files together; a write beyond it fails with ENOSPC. */
  room?: number;
  /** The error code of each operation that fails. */
  fails: Partial<
    Record<"open" | "write" | "sync" | "truncate" | "syncFolder" | "makeFolder" | "close", string>
  >;
  /** After this many operations the next one fails, once, with the code of `nth`. */
  nth?: { left: number; readonly code: string };
  /** How often each operation was called. */
  readonly asked: Map<string, number>;
}

export interface FaultyDisk {
  readonly disk: LogDisk;
  readonly faults: DiskFaults;
}

/** A real disk that fails on demand. */
export function faultyLogDisk(): FaultyDisk {
  const faults: DiskFaults = { fails: {}, asked: new Map() };
  const ask = (operation: keyof DiskFaults["fails"]): void => {
    faults.asked.set(operation, (faults.asked.get(operation) ?? 0) + 1);
    if (faults.nth?.left === 0) {
      const { code } = faults.nth;
      delete faults.nth;
      throw systemError(code, operation);
    }
    if (faults.nth) faults.nth.left -= 1;
    const code = faults.fails[operation];
    if (code) throw systemError(code, operation);
  };
  const disk: LogDisk = {
    ...localLogDisk,
    open: async (path, mode) => {
      // Locks and folders do not fail here.
      if (path.endsWith(".lock")) return localLogDisk.open(path, mode);
      ask("open");
      return faultyFile(await localLogDisk.open(path, mode), faults, ask);
    },
    makeFolder: async (folder) => {
      ask("makeFolder");
      await localLogDisk.makeFolder(folder);
    },
    syncFolder: async (folder) => {
      ask("syncFolder");
      await localLogDisk.syncFolder(folder);
    },
  };
  return { disk, faults };
}

function faultyFile(
  file: LogFile,
  faults: DiskFaults,
  ask: (operation: keyof DiskFaults["fails"]) => void,
): LogFile {
  return {
    size: () => file.size(),
    read: (position, length) => file.read(position, Math.min(length, faults.gives ?? length)),
    write: async (bytes, position) => {
      ask("write");
      const fits = Math.min(bytes.length, faults.takes ?? bytes.length, faults.room ?? bytes.length);
      if (fits === 0 && faults.room === 0) throw systemError("ENOSPC", "write");
      const taken = await file.write(bytes.subarray(0, fits), position);
      if (faults.room !== undefined) faults.room -= taken;
      return taken;
    },
    sync: async () => {
      ask("sync");
      await file.sync();
    },
    truncate: async (size) => {
      ask("truncate");
      await file.truncate(size);
    },
    close: async () => {
      await file.close();
      ask("close");
    },
  };
}

function systemError(code: string, operation: string): Error {
  return Object.assign(new Error(`${code}: injected, ${operation}`), { code });
}

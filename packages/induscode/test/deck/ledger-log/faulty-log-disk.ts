import { type DiskCall, wrapDisk } from "@indus/testkit";
import { type LogDisk, localLogDisk } from "induscode/deck";

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

/** A real disk that fails on demand. Locks do not fail. */
export function faultyLogDisk(): FaultyDisk {
  const faults: DiskFaults = { fails: {}, asked: new Map() };
  const ask = (operation: string): void => {
    if (!ASKED.has(operation)) return;
    faults.asked.set(operation, (faults.asked.get(operation) ?? 0) + 1);
    if (faults.nth?.left === 0) {
      const { code } = faults.nth;
      delete faults.nth;
      throw systemError(code, operation);
    }
    if (faults.nth) faults.nth.left -= 1;
    const code = faults.fails[operation as Operation];
    if (code) throw systemError(code, operation);
  };
  const disk = wrapDisk(localLogDisk, async ({ operation, path, args, run }) => {
    if (path.endsWith(".lock")) return run();
    const name = operation.replace("file.", "");
    // A failed close has closed the file all the same.
    if (name === "close") await run();
    ask(name);
    if (name === "close") return undefined;
    if (operation === "file.write") return writeWithin(faults, args[0] as Uint8Array, args[1], run);
    if (operation !== "file.read" || faults.gives === undefined) return run();
    return run(args[0], Math.min(Number(args[1]), faults.gives));
  });
  return { disk, faults };
}

type Operation = keyof DiskFaults["fails"];
const ASKED: ReadonlySet<string> = new Set<Operation>([
  "open",
  "write",
  "sync",
  "truncate",
  "syncFolder",
  "makeFolder",
  "close",
]);

async function writeWithin(
  faults: DiskFaults,
  bytes: Uint8Array,
  position: unknown,
  run: DiskCall["run"],
): Promise<number> {
  const fits = Math.min(bytes.length, faults.takes ?? bytes.length, faults.room ?? bytes.length);
  if (fits === 0 && faults.room === 0) throw systemError("ENOSPC", "write");
  const taken = Number(await run(bytes.subarray(0, fits), position));
  if (faults.room !== undefined) faults.room -= taken;
  return taken;
}

function systemError(code: string, operation: string): Error {
  return Object.assign(new Error(`${code}: injected, ${operation}`), { code });
}

import { readFile } from "node:fs/promises";

/** Searching a disk takes ripgrep some 15 MiB. */
const MAX_KIB = 256 * 1024;
const LOOK_EVERY_MS = 100;

/**
 * Calls `onExcess` when a process holds too much memory: ripgrep reads ignore files to their end, and one that is a
 * link to /dev/zero has none. Linux only; elsewhere the deadline has to do. Returns the way to stop watching.
 */
export function watchMemory(pid: number | undefined, onExcess: () => void): () => void {
  if (pid === undefined || process.platform !== "linux") return () => {};
  const look = async (): Promise<void> => {
    if ((await residentKib(pid)) <= MAX_KIB) return;
    clearInterval(timer);
    onExcess();
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function residentKib(pid: number): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
  } catch {
    // It has gone, or cannot be looked at.
    return 0;
  }
}

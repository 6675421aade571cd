import { readFile } from "node:fs/promises";

/** Ripgrep normally needs about 15 MiB. */
const MAX_KIB = 256 * 1024;
const CHECK_EVERY_MS = 100;

/**
 * Calls `onExcess` when a process uses too much memory: ripgrep reads ignore files to their end, and one that links to
 * /dev/zero has no end. Linux only; elsewhere the deadline ends the search. Returns a function that stops watching.
 */
export function watchMemory(pid: number | undefined, onExcess: () => void): () => void {
  if (pid === undefined || process.platform !== "linux") return () => {};
  const check = async (): Promise<void> => {
    if ((await residentKib(pid)) <= MAX_KIB) return;
    clearInterval(timer);
    onExcess();
  };
  const timer = setInterval(() => void check(), CHECK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function residentKib(pid: number): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
  } catch {
    // It has exited, or its status cannot be read.
    return 0;
  }
}

import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface WatchFilesOptions {
  /** The files and folders to watch now. They need not exist. */
  readonly paths: () => readonly string[];
  /** Stops watching. */
  readonly signal: AbortSignal;
  /** Called after a change that seems complete. The next check comes after it. */
  readonly onChange: () => Promise<void>;
  /** The time between two checks. Default 500 ms. */
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 500;
/** A file that keeps changing is read after this many checks anyway. */
const MAX_CHECKS = 4;

/**
 * Watches files until the signal aborts, by polling: unlike file system events this works for files that do not exist yet or
 * are replaced as a whole, and on every platform. Changes between two checks count as one.
 */
export async function watchFiles(options: WatchFilesOptions): Promise<void> {
  const { paths, signal, onChange, everyMs = EVERY_MS } = options;
  let handled = await marksOf(paths());
  let last = handled;
  let checks = 0;
  while (await slept(everyMs, signal)) {
    const now = await marksOf(paths());
    const isQuiet = now === last;
    last = now;
    if (now === handled) checks = 0;
    else if (!isQuiet && ++checks < MAX_CHECKS)
      continue; // It is probably being written.
    else {
      checks = 0;
      handled = now; // Before it is read: the next check finds a change meanwhile.
      if (!signal.aborted) await onChange();
    }
  }
}

async function slept(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}

/** A text that differs after every change of the files. */
async function marksOf(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(markOf))).join("\n");
}

async function markOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [path, ino, size, mtimeNs, ctimeNs].join("\0");
  } catch {
    return path;
  }
}

import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface WatchFilesOptions {
  /** What is watched now: files and folders. They need not exist. */
  readonly paths: () => readonly string[];
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Called after a change, when it seems to be complete. The next look comes after it. */
  readonly onChange: () => Promise<void>;
  /** The time between two looks. */
  readonly everyMs?: number;
}

const EVERY_MS = 500;
/** What changes all the time is read after this many looks nevertheless. */
const MAX_LOOKS = 4;

/**
 * Watches files until the signal aborts. It looks at them from time to time: unlike the events of a file system that works for files
 * that do not exist yet, for those that are replaced as a whole, and on every platform. Many changes between two looks are one.
 */
export async function watchFiles(options: WatchFilesOptions): Promise<void> {
  const { paths, signal, onChange, everyMs = EVERY_MS } = options;
  let handled = await marksOf(paths());
  let last = handled;
  let looks = 0;
  while (await slept(everyMs, signal)) {
    const now = await marksOf(paths());
    const isQuiet = now === last;
    last = now;
    if (now === handled) looks = 0;
    else if (!isQuiet && ++looks < MAX_LOOKS)
      continue; // It is probably being written.
    else {
      looks = 0;
      handled = now; // Before it is read: a change meanwhile is found by the next look.
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

/** A text that is another one after every change of the files. */
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

import type { Fs } from "../../contract/index.ts";
import { isLocalFs } from "../../local/local-fs.ts";

/** Every backend has its own files, but for those of this machine: they all lead to the same disk. */
const queuesOf = new WeakMap<Fs, Map<string, Promise<unknown>>>();
const localQueues = new Map<string, Promise<unknown>>();

/**
 * Runs `step` alone among all that change the same file: parallel calls of one model turn, and sessions side by
 * side, queue up instead of overwriting one another. A step that fails lets the next one go on.
 */
export async function lockFile<Value>(fs: Fs, path: string, step: () => Promise<Value>): Promise<Value> {
  const queues = isLocalFs(fs) ? localQueues : ownQueues(fs);
  const before = queues.get(path) ?? Promise.resolve();
  const mine = before.then(step);
  const tail = mine.catch(() => {});
  queues.set(path, tail);
  try {
    return await mine;
  } finally {
    if (queues.get(path) === tail) queues.delete(path);
  }
}

function ownQueues(fs: Fs): Map<string, Promise<unknown>> {
  const queues = queuesOf.get(fs) ?? new Map<string, Promise<unknown>>();
  queuesOf.set(fs, queues);
  return queues;
}

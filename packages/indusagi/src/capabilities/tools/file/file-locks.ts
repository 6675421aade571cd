import type { Fs } from "../../contract/index.ts";

const tails = new WeakMap<Fs, Map<string, Promise<unknown>>>();

/**
 * Runs `step` alone among all that change the same file: parallel calls of one model turn queue up instead of
 * overwriting one another. A step that fails lets the next one go on.
 */
export async function lockFile<Value>(fs: Fs, path: string, step: () => Promise<Value>): Promise<Value> {
  const queues = tails.get(fs) ?? new Map<string, Promise<unknown>>();
  tails.set(fs, queues);
  const before = queues.get(path) ?? Promise.resolve();
  const mine = before.then(step, step);
  const tail = mine.catch(() => {});
  queues.set(path, tail);
  try {
    return await mine;
  } finally {
    if (queues.get(path) === tail) queues.delete(path);
  }
}

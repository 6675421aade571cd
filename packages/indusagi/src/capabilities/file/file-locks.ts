import { KeyedQueue } from "../../core/index.ts";
import type { Fs } from "../contract/index.ts";
import { isLocalFs } from "../local/index.ts";

/** Each backend has its own files, except that all local ones share this machine's disk. */
const queueOf = new WeakMap<Fs, KeyedQueue>();
const localQueue = new KeyedQueue();

/**
 * Runs `step` while no other call changes the same file, so parallel calls of one model turn, and parallel
 * sessions, do not overwrite each other. A step that fails does not stop the next one.
 *
 * Calls with the same path text run in the order they were made: a model may write a file and edit it in one turn.
 * So a call joins the queue of its path text at once, and then the queue of the real file, which needs a disk access.
 */
export function lockFile<Value>(
  fs: Fs,
  path: string,
  step: (realPath: string) => Promise<Value>,
): Promise<Value> {
  const queue = isLocalFs(fs) ? localQueue : ownQueue(fs);
  return queue.run(`text ${path}`, async () => {
    const realPath = await fs.resolve(path);
    return queue.run(`file ${realPath}`, () => step(realPath));
  });
}

function ownQueue(fs: Fs): KeyedQueue {
  const queue = queueOf.get(fs) ?? new KeyedQueue();
  queueOf.set(fs, queue);
  return queue;
}

import type { Fs } from "../../contract/index.ts";
import { isLocalFs } from "../../local/index.ts";

type Queues = Map<string, Promise<unknown>>;

/** Each backend has its own files, except that all local ones share this machine's disk. */
const queuesOf = new WeakMap<Fs, Queues>();
const localQueues: Queues = new Map();

/**
 * Runs `step` while no other call changes the same file, so that parallel calls of one model turn, and parallel
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
  const queues = isLocalFs(fs) ? localQueues : ownQueues(fs);
  return inQueue(queues, `text ${path}`, async () => {
    const realPath = await fs.resolve(path);
    return inQueue(queues, `file ${realPath}`, () => step(realPath));
  });
}

async function inQueue<Value>(queues: Queues, key: string, step: () => Promise<Value>): Promise<Value> {
  const mine = (queues.get(key) ?? Promise.resolve()).then(step);
  const tail = mine.catch(() => {});
  queues.set(key, tail);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === tail) queues.delete(key);
  }
}

function ownQueues(fs: Fs): Queues {
  const queues = queuesOf.get(fs) ?? new Map<string, Promise<unknown>>();
  queuesOf.set(fs, queues);
  return queues;
}

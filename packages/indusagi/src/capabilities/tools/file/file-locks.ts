import type { Fs } from "../../contract/index.ts";
import { isLocalFs } from "../../local/index.ts";

type Queues = Map<string, Promise<unknown>>;

/** Every backend has its own files, but for those of this machine: they all lead to the same disk. */
const queuesOf = new WeakMap<Fs, Queues>();
const localQueues: Queues = new Map();

/**
 * Runs `step` alone among all that change the same file: parallel calls of one model turn, and sessions side by
 * side, queue up instead of overwriting one another. A step that fails lets the next one go on.
 *
 * Calls that spell the path alike run in the order they were made: a model may write a file and edit it in one turn.
 * Therefore they first queue by the spelling, at once, and then by the file, which takes a look at the disk to know.
 */
export function lockFile<Value>(
  fs: Fs,
  path: string,
  step: (realPath: string) => Promise<Value>,
): Promise<Value> {
  const queues = isLocalFs(fs) ? localQueues : ownQueues(fs);
  return inQueue(queues, `spelled ${path}`, async () => {
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

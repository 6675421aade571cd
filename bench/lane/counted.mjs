// Counts what a process allocates, on request of its parent: promises, and bytes on the heap of V8.
//   node --expose-gc --min-semi-space-size=64 --max-semi-space-size=64 --import counted.mjs PROGRAM …
// It needs an IPC channel. The space for new objects is so large that no collection happens while bytes are counted; a count
// with a collection in it is no number.
import { createHook } from "node:async_hooks";
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

let promises = 0;
let collections = 0;
let usedBytes = 0;
const hook = createHook({
  init: (_id, type) => {
    if (type === "PROMISE") promises++;
  },
});
new PerformanceObserver((list) => (collections += list.getEntries().length)).observe({ entryTypes: ["gc"] });

/** Promises and bytes are counted apart: a hook allocates, too. */
const COUNTERS = {
  startPromises: () => {
    promises = 0;
    hook.enable();
  },
  stopPromises: () => {
    hook.disable();
    return promises;
  },
  startBytes: async () => {
    globalThis.gc();
    await nextTurn(); // The observer is told then.
    collections = 0;
    usedBytes = getHeapStatistics().used_heap_size;
  },
  stopBytes: async () => {
    const bytes = getHeapStatistics().used_heap_size - usedBytes;
    await nextTurn();
    return collections === 0 ? bytes : Number.NaN;
  },
};

const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 5));

process.on("message", async ({ count }) => {
  if (count !== undefined) process.send({ counted: (await COUNTERS[count]()) ?? 0 });
});
// The channel must not keep a process alive that has nothing else to do.
process.channel.unref();

import { onAbort } from "./on-abort.ts";

/**
 * Settles with the work, or rejects with the signal's reason when that aborts first. The work goes on by itself;
 * what it comes to after an abort is heard by nobody, not even as an unhandled rejection.
 */
export function untilAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, reject);
    work.then(resolve, reject).finally(stop);
  });
}

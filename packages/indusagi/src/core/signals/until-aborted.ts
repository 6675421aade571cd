import { onAbort } from "./on-abort.ts";

/**
 * Settles with the work, or rejects with the signal's reason if the signal aborts first. The work itself continues;
 * its result after an abort is ignored, and its failure is not an unhandled rejection.
 */
export function untilAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, reject);
    work.then(resolve, reject).finally(stop);
  });
}

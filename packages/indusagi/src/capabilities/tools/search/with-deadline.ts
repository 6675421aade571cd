import { SearchFault } from "./search-fault.ts";

/** Gives work a signal that aborts with the caller's, and on its own when the time is up: a `timeout` fault. */
export async function withDeadline<Value>(
  caller: AbortSignal,
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  caller.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(caller.reason);
  const timer = setTimeout(() => controller.abort(timeUp(deadlineMs)), deadlineMs);
  caller.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    caller.removeEventListener("abort", onAbort);
  }
}

function timeUp(deadlineMs: number): SearchFault {
  const seconds = Math.round(deadlineMs / 100) / 10;
  return new SearchFault(
    "timeout",
    `gave up after ${seconds} s with no answer; search a smaller folder or for something simpler`,
  );
}

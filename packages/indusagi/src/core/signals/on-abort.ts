// Loaded with the first signal that needs it and kept.
const loadEvents = () => process.getBuiltinModule("node:events");
let events: ReturnType<typeof loadEvents> | undefined;

/**
 * Calls `listener` with the reason when the signal aborts, at once if it has aborted already. Returns a function that
 * removes the listener. Call it when the work is done: a signal often lives longer than the work.
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  if (signal.aborted) {
    listener(signal.reason);
    return () => {};
  }
  const own: AbortListener = { handleEvent: () => listener(signal.reason) };
  let isListening = true;
  addAbortListener(signal, own);
  return () => {
    if (isListening) removeAbortListener(signal, own);
    isListening = false;
  };
}

/** Listens to a signal without a closure: an object of its own for each piece of work. */
export interface AbortListener {
  handleEvent(): void;
}

const ONCE = { once: true } as const;

/** Like `onAbort`, for a signal that has not aborted. End it with `removeAbortListener`. */
export function addAbortListener(signal: AbortSignal, listener: AbortListener): void {
  listening += 1;
  if (listening > FEW) countListener(signal);
  signal.addEventListener("abort", listener, ONCE);
}

/** Call it exactly once for each added listener, even after the signal has aborted. */
export function removeAbortListener(signal: AbortSignal, listener: AbortListener): void {
  listening -= 1;
  signal.removeEventListener("abort", listener);
}

/**
 * Many calls may listen to one signal, and Node warns about more than ten listeners. Turning the warning off costs more than the
 * listener itself, so it is done only for a signal that may have many: nearly every call brings its own.
 */
function countListener(signal: AbortSignal): void {
  const times = (counted.get(signal) ?? 0) + 1;
  counted.set(signal, times);
  // Not 0, which means the same: Node then refuses to tell the limit, and undici asks for it.
  if (times === MANY) (events ??= loadEvents()).setMaxListeners(Number.MAX_SAFE_INTEGER, signal);
}

/** Our listeners on all signals. While there are few, no signal can have many. */
let listening = 0;
const counted = new WeakMap<AbortSignal, number>();
// Together with the listeners of others still below Node's limit of ten.
const FEW = 4;
const MANY = 4;

import { keepFromReuse } from "./reused-signals.ts";

/** Keeps the parts of a joined signal alive as long as the joined signal. */
const partsOf = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * A signal that aborts when the first of the given signals does. `AbortSignal.any` holds its parts weakly: on Node 20
 * a part made by `AbortSignal.timeout` without another reference is collected early and never fires.
 */
export function joinSignals(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const parts = signals.filter((signal) => signal !== undefined);
  const [only] = parts;
  if (only && parts.length === 1) return only;
  parts.forEach(keepFromReuse);
  const joined = AbortSignal.any(parts);
  partsOf.set(joined, parts);
  followParts(joined);
  return joined;
}

/**
 * Makes the joined signal take its reason at the moment of the first abort. On Node 24 a signal that has never had a
 * listener looks at its parts only when it is read, and then takes the first aborted part in the list. The listener is
 * removed at once, because Node keeps a signal with a listener alive.
 */
function followParts(joined: AbortSignal): void {
  if (joined.aborted) return;
  joined.addEventListener("abort", ignore);
  joined.removeEventListener("abort", ignore);
}

const ignore = (): void => {};

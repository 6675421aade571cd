/** What keeps the parts of a joined signal alive for as long as it is. */
const partsOf = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * A signal that aborts with the first of these. `AbortSignal.any` holds its parts weakly; on Node 20 a part made by
 * `AbortSignal.timeout` that nobody else holds is collected before its time, and then never fires.
 */
export function joinSignals(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const parts = signals.filter((signal) => signal !== undefined);
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const joined = AbortSignal.any(parts);
  partsOf.set(joined, parts);
  return joined;
}

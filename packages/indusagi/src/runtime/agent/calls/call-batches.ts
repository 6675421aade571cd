/** A call and whether it changes nothing. */
export interface OrderedCall {
  readonly isReadOnly: boolean;
}

/**
 * Calls in groups that run one after the other. The calls of a group run at the same time: neighbours that only read.
 * Every other call is a group of its own, so that changes happen in the order in which the model asked for them.
 */
export function callBatches<Call extends OrderedCall>(calls: readonly Call[]): readonly (readonly Call[])[] {
  const batches: Call[][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    if (call.isReadOnly && last?.every(({ isReadOnly }) => isReadOnly)) last.push(call);
    else batches.push([call]);
  }
  return batches;
}

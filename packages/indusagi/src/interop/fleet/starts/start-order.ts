/** What decides the place of a start in the queue. */
export interface StartRank {
  /** A call waits for this server now. */
  readonly isCalled: boolean;
  /** It ran before in this fleet, or failed to start. */
  readonly isRestart: boolean;
  readonly isRequired: boolean;
  /** It was started before and has never been ready. */
  readonly isKnownToFail: boolean;
  /** How long its last good start took; `undefined` if it has never been ready. */
  readonly readyMs: number | undefined;
}

/**
 * Compares two starts: the smaller one begins first. A call comes before everything else, and a server that was tried and
 * never ready after everything else, unless it is required. Then first starts come before restarts. Among these, required
 * servers come first, then unknown ones, then those with the shortest start.
 */
export function compareStarts(a: StartRank, b: StartRank): number {
  return (
    Number(b.isCalled) - Number(a.isCalled) ||
    Number(isLast(a)) - Number(isLast(b)) ||
    Number(a.isRestart) - Number(b.isRestart) ||
    Number(b.isRequired) - Number(a.isRequired) ||
    (a.readyMs ?? -1) - (b.readyMs ?? -1)
  );
}

function isLast({ isKnownToFail, isRequired }: StartRank): boolean {
  return isKnownToFail && !isRequired;
}

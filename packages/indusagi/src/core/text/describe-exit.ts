/** How a command ended: its exit code or its signal. */
export function describeExit({
  code,
  signal,
}: {
  readonly code: number | null;
  readonly signal?: string;
}): string {
  if (signal !== undefined) return `ended by ${signal}`;
  if (code === null) return "ended for an unknown reason";
  const meant = code > SIGNAL_BASE ? signalName(code - SIGNAL_BASE) : undefined;
  return meant === undefined
    ? `exit code ${code}`
    : `exit code ${code} (a program in it was ended by ${meant})`;
}

/** A shell reports a program ended by a signal as 128 plus the signal number. */
const SIGNAL_BASE = 128;

function signalName(wanted: number): string | undefined {
  const { signals } = process.getBuiltinModule("node:os").constants;
  return Object.entries(signals).findLast(([, number]) => number === wanted)?.[0];
}

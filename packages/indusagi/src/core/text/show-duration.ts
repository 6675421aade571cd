/**
 * Formats a duration as people write it: `850 ms`, `1.5 s`, `30 s`, `3 min 5 s`, `2 h 10 min`. Rounded to a millisecond
 * below a second, a tenth below a minute, a second below an hour, and a minute above that.
 */
export function showDuration(ms: number): string {
  const exact = Math.max(0, ms);
  const millis = Math.round(exact);
  if (millis > 0 && millis < 1000) return `${millis} ms`;
  const tenths = Math.round(exact / 100);
  if (tenths < 600) return `${tenths / 10} s`;
  const seconds = Math.round(exact / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min${rest(seconds % 60, "s")}`;
  const minutes = Math.round(exact / 60_000);
  return `${Math.floor(minutes / 60)} h${rest(minutes % 60, "min")}`;
}

function rest(amount: number, unit: string): string {
  return amount === 0 ? "" : ` ${amount} ${unit}`;
}

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

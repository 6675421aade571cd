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

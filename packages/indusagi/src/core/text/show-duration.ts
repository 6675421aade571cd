/** Formats a duration: `850 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function showDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${rest(seconds % 60, "s")}`;
  return `${Math.floor(minutes / 60)} h${rest(minutes % 60, "min")}`;
}

function rest(amount: number, unit: string): string {
  return amount === 0 ? "" : ` ${amount} ${unit}`;
}

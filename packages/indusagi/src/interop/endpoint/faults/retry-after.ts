/** No server may make us wait longer, whatever it says. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Reads a `Retry-After` header: seconds or a date, never less than nothing or more than a minute; nonsense counts as absent. */
export function parseRetryAfter(header: string | null, nowMs: number = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : dateOf(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

/** Only what begins like a date: `Date.parse` makes years of bare and negative numbers. */
function dateOf(text: string): number {
  return /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
}

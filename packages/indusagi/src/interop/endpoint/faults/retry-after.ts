/** The longest wait that a server can ask for. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Reads a `Retry-After` header: seconds or a date, limited to between 0 and one minute. An invalid value counts as
 * absent.
 */
export function parseRetryAfter(header: string | null, nowMs: number = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : dateOf(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

/** Accepts only text that begins like a date: `Date.parse` turns bare and negative numbers into years. */
function dateOf(text: string): number {
  return /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
}

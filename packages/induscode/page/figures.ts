const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

export const count = (value: number): string => NUMBER.format(value);
export const short = (value: number): string => (value < 10_000 ? NUMBER.format(value) : SHORT.format(value));
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${NUMBER.format(value / 1000)} kB`;
  if (value < 1e9) return `${NUMBER.format(value / 1e6)} MB`;
  return `${NUMBER.format(value / 1e9)} GB`;
}

export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 100) / 100} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${NUMBER.format(ms / 1000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
}

/** A time of today as `14:03:07`, an earlier one with its day; in the reader's zone. */
export function clock(time: string | number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "-";
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? CLOCK.format(date) : `${DAY.format(date)} ${CLOCK.format(date)}`;
}

/** A time below a plot: the day at midnight, seconds only where they differ. */
export function axisTime(ms: number): string {
  const date = new Date(ms);
  if (date.getSeconds() !== 0) return CLOCK.format(date);
  return date.getHours() === 0 && date.getMinutes() === 0 ? DAY.format(date) : CLOCK.format(date).slice(0, 5);
}

/** The whole time with the zone, for a tooltip. */
export function wholeTime(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : WHOLE.format(date);
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${NUMBER.format((100 * part) / whole)} %`;
}

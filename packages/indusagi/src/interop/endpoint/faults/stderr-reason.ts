import { shortenText } from "../../../core/index.ts";
import { isRemedy, settingsIn } from "./remedy-lines.ts";
import { informativeLines, LIST_ITEM, RANK, type StderrLine } from "./stderr-lines.ts";

/** What standard error says about why a program ended. */
export interface StderrReason {
  /** One line: the likely reason. Empty if it wrote nothing. */
  readonly reason: string;
  /** At most three lines: the reason with context. */
  readonly lines: readonly string[];
}

const MAX_LINES = 3;
const MAX_CHARS = 300;

/**
 * Finds the line that says why a program ended. Often this is not the last line, which may be the end of a stack trace, the
 * version of Node, or the path of a log file.
 */
export function stderrReason(stderr: string): StderrReason {
  const lines = informativeLines(stderr);
  const at = indexOfReason(lines);
  const chosen = lines[at];
  if (!chosen) return { reason: "", lines: [] };
  const { text, used } = wholeReason(lines, at);
  const remedy = remedyNear(lines, { at, used, text });
  if (remedy !== undefined) {
    const best = [remedy, text].map((line) => shortenText(line, MAX_CHARS));
    return { reason: best[0] ?? "", lines: best };
  }
  const reason = shortenText(text, MAX_CHARS);
  // Plain output is shown with the lines before it, an error with the lines after it, which explain it.
  const isPlain = chosen.rank <= RANK.plain;
  const shown = isPlain
    ? [...lines.slice(Math.max(0, at - MAX_LINES + 1), at).map((line) => line.text), reason]
    : [reason, ...lines.slice(at + used, at + used + MAX_LINES - 1).map((line) => line.text)];
  return { reason, lines: shown.map((line) => shortenText(line, MAX_CHARS)) };
}

/** The last line of the highest rank: an earlier error did not end the program. */
function indexOfReason(lines: readonly StderrLine[]): number {
  const top = Math.max(...lines.map(({ rank }) => rank));
  if (top === RANK.usage) return lines.findIndex(({ rank }) => rank === top);
  let at = lines.findLastIndex(({ rank }) => rank === top);
  while (lines[at]?.isNpm && lines[at - 1]?.isNpm && lines[at - 1]?.rank === top) at--;
  // A cause follows the error that it belongs to.
  const isCause = /^(\[cause\]|Caused by):/.test(lines[at]?.text ?? "");
  const before = isCause ? lines.slice(0, at).findLastIndex(({ rank }) => rank === top) : -1;
  return before === -1 ? at : before;
}

/** How many lines after an error may be its remedy; before it, one is rarely further away than its stack. */
const REMEDY_AFTER = 4;
const REMEDY_BEFORE = 2;

/** The line near an error that says what to set or to do, if the error itself does not name all of that. */
function remedyNear(
  lines: readonly StderrLine[],
  { at, used, text }: { readonly at: number; readonly used: number; readonly text: string },
): string | undefined {
  if ((lines[at]?.rank ?? 0) < RANK.generic || isRemedy(text)) return undefined;
  const named = settingsIn(text);
  const places = [
    ...Array.from({ length: REMEDY_AFTER }, (_, offset) => at + used + offset),
    ...Array.from({ length: REMEDY_BEFORE }, (_, offset) => at - 1 - offset),
  ];
  for (const place of places) {
    const line = lines[place];
    if (!line || line.isNpm || !isRemedy(line.text)) continue;
    const remedy = wholeReason(lines, place).text;
    const settings = settingsIn(remedy);
    const isMore = settings.length > named.length || (named.length === 0 && place > at);
    if (isMore && named.every((name) => settings.includes(name))) return remedy;
  }
  return undefined;
}

/** Joins a reason that continues on the next lines, and counts the lines used. */
function wholeReason(
  lines: readonly StderrLine[],
  at: number,
): { readonly text: string; readonly used: number } {
  const text = lines[at]?.text ?? "";
  const logged = loggedMessage(text);
  if (logged !== undefined) return { text: logged, used: 1 };
  const rejection = /^(UnhandledPromiseRejection): .* with the reason "(.*)"\.?$/.exec(text);
  if (rejection) return { text: `${rejection[1]}: ${rejection[2]}`, used: 1 };
  const next = lines[at + 1]?.text;
  const goesOn = text.endsWith(":") || /\d+ validation errors? for /.test(text);
  if (!goesOn || next === undefined || lines[at + 1]?.rank === RANK.usage) return { text, used: 1 };
  const items = itemsAfter(lines, at);
  if (items.length > 0) return { text: `${text} ${items.join(", ")}`, used: 1 + items.length };
  const isField = !text.endsWith(":");
  const used = isField ? 3 : 2;
  const words = lines.slice(at + 1, at + used).map((line) => line.text.replace(/^[╰└─▶>\s]+/, ""));
  return { text: `${text.replace(/:$/, "")}: ${words.join(": ")}`, used };
}

const MAX_ITEMS = 6;

/** The items of a list below a line that ends with a colon. */
function itemsAfter(lines: readonly StderrLine[], at: number): string[] {
  if (!lines[at]?.text.endsWith(":")) return [];
  const below = lines.slice(at + 1, at + 1 + MAX_ITEMS);
  const end = below.findIndex(({ text }) => !LIST_ITEM.test(text));
  return below
    .slice(0, end === -1 ? undefined : end)
    .map(({ text }) => text.replace(/^(?:[^\w\s"'`$<]|\d{1,2}[.)])\s+/, ""));
}

/** The message in a log line written as JSON. */
function loggedMessage(text: string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const { msg, message = msg } = JSON.parse(text) as { readonly msg?: unknown; readonly message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

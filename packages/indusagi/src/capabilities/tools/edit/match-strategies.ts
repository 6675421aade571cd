import { findRuns } from "./find-runs.ts";
import { reindent } from "./reindent.ts";
import { type TextLine, textLines } from "./text-lines.ts";

/** A stretch of the file to be replaced. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is sought, and where. */
interface Search {
  readonly text: string;
  readonly wanted: string;
  /** The lines of `text`. */
  lines(): readonly TextLine[];
  /** Places that overlap the one before are left out. */
  readonly apart: boolean;
}

/** One way of finding the wanted text in a file. */
export interface MatchStrategy {
  readonly name: string;
  /** Whether its spans are the wanted text itself, so that several may be replaced at once. */
  readonly isExact: boolean;
  /** Every place that matches, in order. */
  find(search: Search): Iterable<Span>;
  /** What the replacement must become to fit a place that was found this way. */
  adapt?(replacement: string, found: string, wanted: string): string;
}

/** From the strictest to the loosest. A later one is asked only when all before found nothing. */
export const MATCH_STRATEGIES: readonly MatchStrategy[] = [
  { name: "exact", isExact: true, find: findExact },
  { name: "line endings", isExact: true, find: findAnyEnding },
  { name: "trailing white space", isExact: false, find: byLines((line) => line.trimEnd()) },
  { name: "typographic characters", isExact: false, find: byLines((line) => foldTypography(line).trimEnd()) },
  { name: "indentation", isExact: false, find: byLines((line) => line.trim()), adapt: reindent },
  {
    name: "white space",
    isExact: false,
    find: byLines((line) => line.replace(/\s+/g, " ").trim()),
    adapt: reindent,
  },
];

function* findExact({ text, wanted, apart }: Search): Generator<Span> {
  // Whoever writes a line feed means a line ending; half of a CRLF is none. Whoever writes a CR means the character.
  const startsLine = wanted.startsWith("\n") && !wanted.includes("\r");
  for (let at = text.indexOf(wanted); at !== -1; ) {
    const end = at + wanted.length;
    const isHalf = startsLine && text[at - 1] === "\r";
    if (!isHalf) yield { start: at, end };
    at = text.indexOf(wanted, apart && !isHalf ? end : at + 1);
  }
}

/** The wanted text with every line ending standing for any other; a CRLF is one ending and never torn. */
function* findAnyEnding({ text, wanted, apart }: Search): Generator<Span> {
  if (!/[\r\n]/.test(wanted) || !/[^\r\n]/.test(wanted)) return;
  const [within, sought] = [withLineFeeds(text), withLineFeeds(wanted)];
  // Starts and ends each come in ascending order, but not together: places may overlap.
  const [startOf, endOf] = [placesWithReturns(text), placesWithReturns(text)];
  for (let at = within.indexOf(sought); at !== -1; ) {
    const end = at + sought.length;
    yield { start: startOf(at), end: endOf(end) };
    at = within.indexOf(sought, apart ? end : at + 1);
  }
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Where a place in a text's form with line feeds alone is in the text itself. Places are asked for in ascending order. */
function placesWithReturns(text: string): (place: number) => number {
  let dropped = 0;
  let next = text.indexOf("\r\n");
  return (place) => {
    while (next !== -1 && next - dropped < place) {
      dropped++;
      next = text.indexOf("\r\n", next + 2);
    }
    return place + dropped;
  };
}

/** Compares whole lines after bringing both sides to one form. Never matches text that has no words in it. */
function byLines(form: (line: string) => string): MatchStrategy["find"] {
  return function* (search) {
    const { text, wanted } = search;
    const wantedForms = textLines(wanted).map((line) => form(wanted.slice(line.start, line.end)));
    if (wantedForms.every((line) => line === "")) return;
    // Numbers instead of words: lines that are in the wanted text get one, all others have none.
    const numbers = new Map(wantedForms.map((line, index) => [line, index]));
    const numberOf = (line: string): number => numbers.get(line) ?? -1;
    const lines = search.lines();
    const within = Int32Array.from(lines, (line) => numberOf(form(text.slice(line.start, line.end))));
    const takesEnding = /[\r\n]$/.test(wanted);
    for (const at of findRuns(within, Int32Array.from(wantedForms, numberOf))) {
      const first = lines[at];
      const last = lines[at + wantedForms.length - 1];
      if (first && last) yield { start: first.start, end: takesEnding ? last.next : last.end };
    }
  };
}

const TYPOGRAPHY: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b]/g, "'"],
  [/[\u201c\u201d\u201e\u201f]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " "],
];

/** Curly quotes, dashes and special spaces as the plain characters people type for them. */
function foldTypography(line: string): string {
  return TYPOGRAPHY.reduce((folded, [pattern, plain]) => folded.replace(pattern, plain), line);
}

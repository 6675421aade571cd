import { type TextLine, textLines } from "./text-lines.ts";

/** A range of the file's text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Search {
  readonly text: string;
  readonly wanted: string;
  /** The lines of `text`. */
  lines(): readonly TextLine[];
  /** Skip matches that overlap the one before. */
  readonly skipOverlaps: boolean;
}

/** One way to find the wanted text in a file. */
export interface MatchStrategy {
  readonly name: string;
  /** A match is the wanted text itself, so several may be replaced at once. */
  readonly isExact: boolean;
  /** Every match, in order. */
  find(search: Search): Iterable<Span>;
  /** Adapts the replacement to the text that was found. */
  adapt?(replacement: string, found: string, wanted: string): string;
}

/** From strict to loose. A strategy is tried only if those before it found nothing. */
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

function* findExact({ text, wanted, skipOverlaps }: Search): Generator<Span> {
  // A leading line feed means a line ending, so it must not match half of a CRLF, unless the wanted text itself has a CR.
  const startsLine = wanted.startsWith("\n") && !wanted.includes("\r");
  for (let at = text.indexOf(wanted); at !== -1; ) {
    const end = at + wanted.length;
    const isHalf = startsLine && text[at - 1] === "\r";
    if (!isHalf) yield { start: at, end };
    at = text.indexOf(wanted, skipOverlaps && !isHalf ? end : at + 1);
  }
}

/** Finds the wanted text if all line endings count as equal. A CRLF is one ending and is never split. */
function* findAnyEnding({ text, wanted, skipOverlaps }: Search): Generator<Span> {
  if (!/[\r\n]/.test(wanted) || !/[^\r\n]/.test(wanted)) return;
  const [within, sought] = [withLineFeeds(text), withLineFeeds(wanted)];
  // Two cursors: starts ascend and ends ascend, but matches may overlap.
  const [startOf, endOf] = [placesWithReturns(text), placesWithReturns(text)];
  for (let at = within.indexOf(sought); at !== -1; ) {
    const end = at + sought.length;
    yield { start: startOf(at), end: endOf(end) };
    at = within.indexOf(sought, skipOverlaps ? end : at + 1);
  }
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Maps an index in the text with line feeds only to an index in the text itself. Call it with ascending indexes. */
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

/** Compares whole lines after normalizing both sides. Never matches text that is all white space. */
function byLines(form: (line: string) => string): MatchStrategy["find"] {
  return function* (search) {
    const { text, wanted } = search;
    const wantedForms = textLines(wanted).map((line) => form(wanted.slice(line.start, line.end)));
    if (wantedForms.every((line) => line === "")) return;
    // Compare numbers, not strings: each line of the wanted text gets a number, all other lines get -1.
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

/** Replaces curly quotes, dashes and special spaces with plain characters. */
function foldTypography(line: string): string {
  return TYPOGRAPHY.reduce((folded, [pattern, plain]) => folded.replace(pattern, plain), line);
}

/** Changes the indentation of a replacement from that of the wanted text to that of the text found. */
function reindent(replacement: string, found: string, wanted: string): string {
  const from = firstIndent(wanted);
  const to = firstIndent(found);
  if (from === to) return replacement;
  return replacement.replace(/^[^\r\n]+/gm, (line) => {
    if (line.trim() === "") return line;
    return line.startsWith(from) ? to + line.slice(from.length) : line;
  });
}

function firstIndent(text: string): string {
  const line = text.split(/\r\n|\n|\r/).find((candidate) => candidate.trim() !== "") ?? "";
  return /^\s*/.exec(line)?.[0] ?? "";
}

/**
 * Every index where one sequence occurs in another, including overlaps. Uses Knuth–Morris–Pratt, so a file of a million
 * equal lines takes linear time.
 */
export function* findRuns(within: Int32Array, sought: Int32Array): Generator<number> {
  const fallback = fallbackTable(sought);
  let matched = 0;
  for (let at = 0; at < within.length; at++) {
    while (matched > 0 && within[at] !== sought[matched]) matched = fallback[matched - 1] ?? 0;
    if (within[at] === sought[matched]) matched++;
    if (matched < sought.length || matched === 0) continue;
    yield at - matched + 1;
    matched = fallback[matched - 1] ?? 0;
  }
}

/** For each prefix, the length of its longest proper prefix that is also a suffix. */
function fallbackTable(sought: Int32Array): Int32Array {
  const table = new Int32Array(sought.length);
  let matched = 0;
  for (let at = 1; at < sought.length; at++) {
    while (matched > 0 && sought[at] !== sought[matched]) matched = table[matched - 1] ?? 0;
    if (sought[at] === sought[matched]) matched++;
    table[at] = matched;
  }
  return table;
}

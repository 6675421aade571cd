import { textLines } from "./text-lines.ts";

/** A stretch of the file to be replaced. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One way of finding the wanted text in a file. */
export interface MatchStrategy {
  readonly name: string;
  /** Whether its spans are the wanted text itself, so that several may be replaced at once. */
  readonly isExact: boolean;
  /** Every place that matches, in order, none overlapping. */
  find(text: string, wanted: string): Span[];
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
  { name: "white space", isExact: false, find: byLines((line) => line.replace(/\s+/g, " ").trim()), adapt: reindent },
];

function findExact(text: string, wanted: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    spans.push({ start: at, end: at + wanted.length });
  }
  return spans;
}

/** The wanted text with every line ending standing for any other. */
function findAnyEnding(text: string, wanted: string): Span[] {
  if (!/[\r\n]/.test(wanted)) return [];
  const pieces = wanted.split(/\r\n|\n|\r/).map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(pieces.join("(?:\\r\\n|\\n|\\r)"), "g");
  return [...text.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
}

/** Compares whole lines after bringing both sides to one form. Never matches text that has no words in it. */
function byLines(form: (line: string) => string): MatchStrategy["find"] {
  return (text, wanted) => {
    const wantedForms = textLines(wanted).map((line) => form(wanted.slice(line.start, line.end)));
    if (wantedForms.every((line) => line === "")) return [];
    const lines = textLines(text);
    const forms = lines.map((line) => form(text.slice(line.start, line.end)));
    const takesEnding = /[\r\n]$/.test(wanted);
    const spans: Span[] = [];
    for (let at = 0; at + wantedForms.length <= lines.length; at++) {
      if (!wantedForms.every((line, index) => forms[at + index] === line)) continue;
      const first = lines[at];
      const last = lines[at + wantedForms.length - 1];
      if (first && last) spans.push({ start: first.start, end: takesEnding ? last.next : last.end });
      at += wantedForms.length - 1;
    }
    return spans;
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

/** Moves the replacement from the wanted text's indentation to that of the place where it was found. */
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

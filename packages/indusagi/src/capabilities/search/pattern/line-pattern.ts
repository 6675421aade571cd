import { SearchFault } from "../search-job.ts";

/** The parsed arguments of a search in lines. */
export interface LinePattern {
  readonly text: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  readonly wholeWords: boolean;
}

/** The flags of `grep`, by letter. Only those that both engines support. */
const GREP_FLAGS: { readonly [letter: string]: string } = {
  i: "ignore case",
  F: "the pattern is plain text, not an expression",
  w: "whole words only",
};

/** Parses the pattern and the flag letters of a call. Throws a `SearchFault` if they are not valid. */
export function parseLinePattern(text: string, flags: string): LinePattern {
  const letters = new Set(flags.replace(/^-/, ""));
  for (const letter of letters) {
    if (!Object.hasOwn(GREP_FLAGS, letter)) throw new SearchFault("pattern", unknownFlag(letter));
  }
  if (text.includes("\0"))
    throw new SearchFault("pattern", "the pattern contains a NUL character, which no text file contains");
  if (/[\r\n]/.test(text)) throw crossesLines();
  const isLiteral = letters.has("F");
  // The dialects allow inline flags in different places. `(?i)` at the start is common, so it is supported.
  const hasInlineFlag = !isLiteral && text.startsWith("(?i)") && text.length > 4;
  return {
    text: hasInlineFlag ? text.slice(4) : text,
    isLiteral,
    ignoresCase: hasInlineFlag || letters.has("i"),
    wholeWords: letters.has("w"),
  };
}

/** The error for a pattern that no single line can match. */
export function crossesLines(): SearchFault {
  return new SearchFault(
    "pattern",
    "the pattern contains a line break, but each line is searched alone; search for one line of it",
  );
}

function unknownFlag(letter: string): string {
  const known = Object.entries(GREP_FLAGS).map(([name, message]) => `${name} (${message})`);
  return `unknown flag ${JSON.stringify(letter)}; known: ${known.join(", ")}`;
}

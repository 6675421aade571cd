import { SearchFault } from "../search-fault.ts";

/** What a caller wants to find in a line, as it was asked for. */
export interface LinePattern {
  readonly text: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  readonly wholeWords: boolean;
}

/** The flags of `grep`, by letter. Only what both engines do alike. */
const GREP_FLAGS: { readonly [letter: string]: string } = {
  i: "ignore case",
  F: "the pattern is plain text, not an expression",
  w: "whole words only",
};

/** Reads the pattern and the flag letters of a call; what cannot be meant is refused. */
export function parseLinePattern(text: string, flags: string): LinePattern {
  const letters = new Set(flags.replace(/^-/, ""));
  for (const letter of letters) {
    if (!Object.hasOwn(GREP_FLAGS, letter)) throw new SearchFault("pattern", unknownFlag(letter));
  }
  if (text.includes("\0"))
    throw new SearchFault("pattern", "the pattern has a NUL character, which no text has");
  if (/[\r\n]/.test(text)) throw crossesLines();
  const isLiteral = letters.has("F");
  // Both dialects can say "ignore case" in the pattern, but not in the same places. This one is common.
  const saysIgnoreCase = !isLiteral && text.startsWith("(?i)") && text.length > 4;
  return {
    text: saysIgnoreCase ? text.slice(4) : text,
    isLiteral,
    ignoresCase: saysIgnoreCase || letters.has("i"),
    wholeWords: letters.has("w"),
  };
}

/** The refusal of a pattern that no single line can match. */
export function crossesLines(): SearchFault {
  return new SearchFault(
    "pattern",
    "the pattern has a line break, but lines are searched one by one; search for one line of it",
  );
}

function unknownFlag(letter: string): string {
  const known = Object.entries(GREP_FLAGS).map(([name, message]) => `${name} (${message})`);
  return `flag ${JSON.stringify(letter)} is not known; known: ${known.join(", ")}`;
}

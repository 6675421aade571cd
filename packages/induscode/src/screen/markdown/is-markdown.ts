/** Only the start is examined. */
const MAX_CHARS = 20_000;

/** Marks that rarely occur in other text. A lone `#` may start a comment, so a heading needs a blank line next to it. */
const MARKS: readonly RegExp[] = [
  /^ {0,3}(?:```|~~~)/m,
  /(?:^|\n\n)#{1,6} \S[^\n]*(?:\n\n|$)/,
  /(?<![*\w])\*\*(?=\S)[^*\n]+(?<=\S)\*\*(?![*\w])/,
  /\[[^[\]\n]+\]\((?:https?:|\/|#|\.)[^()\s]*\)/,
];

/** Whether a text looks like Markdown. JSON and markup do not. */
export function isMarkdown(text: string): boolean {
  const beginning = text.slice(0, MAX_CHARS).trim();
  if (/^[[{<]/.test(beginning)) return false;
  return MARKS.some((mark) => mark.test(beginning)) || beginning.split("\n").some(isTableDivider);
}

/** The line below a table header, such as `| --- | :-: |`. */
export function isTableDivider(line: string): boolean {
  return line.includes("|") && line.includes("---") && /^[ :|-]+$/.test(line.trim());
}

import { patternTokens } from "./pattern-tokens.ts";

/**
 * The longest text that every match of a regular expression must contain; empty if none is found easily. Searching a
 * file for plain text is fast, and most files do not contain it.
 */
export function requiredLiteral(pattern: string): string {
  const tokens = patternTokens(pattern);
  const hasChoice = tokens.some(({ text, place }) => place === "outside" && text === "|");
  const hasFlags = /\(\?[a-zA-Z-]+[:)]/.test(pattern);
  // With alternatives nothing is required; with inline flags the text may differ in case.
  if (hasChoice || hasFlags) return "";
  const runs = [""];
  let depth = 0;
  for (const { text, place } of tokens) {
    const run = runs.at(-1) ?? "";
    const isOptional = text === "?" || text === "*" || text.startsWith("{");
    if (place === "outside" && text.startsWith("(")) depth++;
    if (place === "outside" && text === ")") depth--;
    const plain = depth === 0 && place === "outside" ? plainCharacter(text) : undefined;
    if (plain !== undefined) runs[runs.length - 1] = run + plain;
    else if (isOptional && place === "outside") runs.splice(-1, 1, withoutLast(run), "");
    else runs.push("");
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

/** The character that a token matches, if it matches only that one. */
function plainCharacter(token: string): string | undefined {
  if (/^\\[^\w<>]$/.test(token)) return token.slice(1);
  return /^[^\\^$.*+?()[\]{}|]$/u.test(token) ? token : undefined;
}

function withoutLast(run: string): string {
  return run.replace(/.$/su, "");
}

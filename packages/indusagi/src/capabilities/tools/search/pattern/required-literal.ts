import { patternTokens } from "./pattern-tokens.ts";

/**
 * The longest text that every match of a regular expression has in it, as far as that is easily seen; empty if none is.
 * Most files do not have it, and looking for a plain text is by far the quickest way to be done with them.
 */
export function requiredLiteral(pattern: string): string {
  const tokens = patternTokens(pattern);
  const hasChoice = tokens.some(({ text, place }) => place === "outside" && text === "|");
  const hasFlags = /\(\?[a-zA-Z-]+[:)]/.test(pattern);
  // With a choice nothing is required; with flags inside, the text may be written in another case.
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

/** The character a token stands for, if it stands for just that one. */
function plainCharacter(token: string): string | undefined {
  if (/^\\[^\w<>]$/.test(token)) return token.slice(1);
  return /^[^\\^$.*+?()[\]{}|]$/u.test(token) ? token : undefined;
}

function withoutLast(run: string): string {
  return run.replace(/.$/su, "");
}

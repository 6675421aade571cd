import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { matchesGlob, parseGlob } from "../../../src/policy/internal.ts";

/** The same pattern as a regular expression. */
function asRegExp(pattern: string, segments: boolean): RegExp {
  const source = pattern.replaceAll(/\\[\s\S]|\*+\/?|\?|[\s\S]/g, (piece, at: number) => {
    if (piece.startsWith("\\") && piece.length > 1) return escape(piece[1] as string);
    if (piece === "?") return segments ? "[^/]" : "[\\s\\S]";
    if (!piece.startsWith("*")) return escape(piece);
    const slash = piece.endsWith("/") ? "/" : "";
    const stars = piece.length - slash.length;
    if (!segments) return `[\\s\\S]*${slash}`;
    if (stars === 1) return `[^/]*${slash}`;
    const isFolders = slash !== "" && (at === 0 || pattern[at - 1] === "/");
    return isFolders ? "(?:[\\s\\S]*/)?" : `[\\s\\S]*${slash}`;
  });
  return new RegExp(`^${source}$`);
}

const escape = (char: string): string => char.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

verifies(
  "policy:rules",
  "a glob matches what the same regular expression matches, for paths and for other texts",
  () => {
    const pattern = fc.array(fc.constantFrom("a", "b", "/", "*", "**", "?", "\\*"), { maxLength: 8 });
    const text = fc.array(fc.constantFrom("a", "b", "/", "*", "ab"), { maxLength: 9 });
    fc.assert(
      fc.property(pattern, text, fc.boolean(), (pieces, letters, segments) => {
        const [glob, subject] = [pieces.join(""), letters.join("")];
        expect(matchesGlob(subject, parseGlob(glob, { segments })), `${glob} on ${subject}`).toBe(
          asRegExp(glob, segments).test(subject),
        );
      }),
      { numRuns: 3_000 },
    );
  },
);

verifies("policy:rules", "a pattern that takes a regular expression hours is answered at once", () => {
  const glob = parseGlob(`${"*a".repeat(30)}b`);
  expect(matchesGlob("a".repeat(2_000), glob)).toBe(false);
});

import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { requiredLiteral } from "../../../../src/capabilities/search/pattern/line-expression.ts";

verifies(
  "grep:same-results",
  "the required text is found where it is obvious, and is empty where it is not",
  () => {
    const required: readonly (readonly [string, string])[] = [
      ["\\bneedle\\w+\\(\\)", "needle"],
      ["^import .* from", "import "],
      ["a\\.b\\(c", "a.b(c"],
      ["colou?r", "colo"],
      ["ab*c", "a"],
      ["fo{2}bar", "bar"],
      ["fo+bar", "bar"],
      ["x(abc)y", "x"],
      ["x(?=abc)", "x"],
      ["[abc]d", "d"],
      ["[]abc]d", "d"],
      ["foo|bar", ""],
      ["(foo|bar)", ""],
      ["foo(?i)bar", ""],
      ["é+😀?", "é"],
      ["\\w+", ""],
    ];
    for (const [pattern, literal] of required)
      expect({ pattern, literal: requiredLiteral(pattern) }).toEqual({ pattern, literal });
  },
);

verifies("grep:same-results", "every matching text contains the required text", () => {
  const piece = fc.constantFrom("a", "b", "ab", "\\.", ".", "[ab]", "(a)", "(b|a)", "\\w", "^", "é");
  const often = fc.constantFrom("", "", "?", "*", "+", "{2}", "{0,1}", "+?");
  const pattern = fc
    .array(fc.tuple(piece, often), { minLength: 1, maxLength: 5 })
    .map((pieces) => pieces.map(([what, times]) => (what === "^" ? what : what + times)).join(""));
  const text = fc
    .array(fc.constantFrom("a", "b", ".", "é", "x"), { maxLength: 8 })
    .map((letters) => letters.join(""));
  fc.assert(
    fc.property(pattern, text, (source, line) => {
      fc.pre(new RegExp(source, "u").test(line));
      expect(line).toContain(requiredLiteral(source));
    }),
    { numRuns: 500 },
  );
});

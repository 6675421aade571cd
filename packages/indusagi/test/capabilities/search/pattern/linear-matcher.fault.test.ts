import { atSize, verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { linearMatchers } from "../../../../src/capabilities/search/pattern/linear-matcher.ts";
import { gitignoreRules } from "../../../../src/capabilities/search/walk/gitignore-rules.ts";

const matcherOf = linearMatchers();

/** Pieces of a well-formed expression. */
const { pieces } = fc.letrec<{ pieces: string[]; group: string[] }>((tie) => ({
  pieces: fc
    .array(
      fc.oneof(
        { withCrossShrink: true },
        fc
          .constantFrom("a", "b", "/", "\\*", "[^/]", "[ab]", "[^a]", ".*", "[^/]*", "[^/]*")
          .map((one) => [one]),
        tie("group"),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.flat()),
  group: fc
    .array(tie("pieces"), { minLength: 1, maxLength: 3 })
    .map((ways) => ["(?:", ...ways.flatMap((way, at) => (at === 0 ? way : ["|", ...way])), ")"]),
}));
const path = fc
  .array(fc.constantFrom("a", "b", "/", "*", "\n", "\xff"), { maxLength: 9 })
  .map((all) => all.join(""));

verifies("find:leaves-out", "the linear matcher matches the same texts as RegExp", () => {
  fc.assert(
    fc.property(pieces, fc.array(path, { minLength: 1, maxLength: 8 }), (expression, texts) => {
      const matcher = matcherOf(expression);
      const oracle = new RegExp(`^(?:${expression.join("")})$`, "s");
      for (const text of texts) expect([text, matcher.test(text)]).toEqual([text, oracle.test(text)]);
    }),
    { numRuns: atSize({ quick: 500, full: 30_000 }) },
  );
});

verifies(
  "find:leaves-out",
  "a .gitignore line that would make RegExp backtrack without end is decided at once",
  () => {
    const rules = gitignoreRules(linearMatchers());
    const verdict = (line: string, name: string): boolean | undefined => {
      const ruleset = rules.parse(line);
      return ruleset && rules.verdict(ruleset, name, false);
    };
    const started = performance.now();
    expect(verdict(`${"*a".repeat(12)}*b`, "a".repeat(120))).toBeUndefined();
    expect(verdict(`${"*a".repeat(12)}*b`, `${"a".repeat(120)}b`)).toBe(true);
    expect(verdict(`${"*".repeat(40)}b`, "a".repeat(120))).toBeUndefined();
    expect(verdict(`${"*[a]".repeat(12)}*b`, "a".repeat(120))).toBeUndefined();
    expect(verdict(`${"{a,a}".repeat(60)}b`, "a".repeat(120))).toBeUndefined();
    expect(verdict(`${"**/a/".repeat(20)}b`, `${"a/".repeat(100)}c`)).toBeUndefined();
    expect(verdict(`${"**/a/".repeat(20)}b`, `${"a/".repeat(100)}b`)).toBe(true);
    expect(performance.now() - started).toBeLessThan(2000);
  },
);

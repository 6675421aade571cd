import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { isPythonRegex, isRegex } from "../../../../src/llm/dialects/vendors/regex-grammar.ts";

/** Each was checked with Python's `re`. */
const VALID_IN_BOTH = [
  "",
  "^[a-z]+$",
  String.raw`^\d{3}-\d{4}$`,
  String.raw`^[\w.-]+@[\w-]+\.[a-z]{2,}$`,
  String.raw`\/\-\_\@\é`,
  String.raw`\u0041\x41\0[\u0041-\x5a]`,
  String.raw`\\p{L}`,
  String.raw`[\]\[(?<]`,
  "(?:a)(?=b)(?!c)(?<=d)(?<!ef{2})",
  String.raw`(["']).*?\1`,
  String.raw`\Aab\Z`,
  "a{2}b{2,}c{2,3}{",
];

const INVALID_IN_PYTHON = [
  String.raw`^[\p{L}]+$`,
  String.raw`\P{L}`,
  String.raw`\u{1F600}`,
  String.raw`[\u{1F600}-\u{1F64F}]`,
  "(?<year>[0-9]{4})",
  String.raw`(?<q>["']).*\k<q>`,
  String.raw`\cA`,
  String.raw`\z`,
  String.raw`[\B]`,
  String.raw`\u12`,
  String.raw`[\w-.]`,
  String.raw`[.-\w]`,
  "[^]*",
  "[]",
  "(?<=a+)b",
  "(?<=a|bc)d",
  String.raw`\1(a)`,
  String.raw`((.)\1)`,
  String.raw`(a)\2`,
  String.raw`\Z*`,
  "{,3}",
];

const INVALID = ["(", "[a", "a**", "(?P<n>a)", "(?i)a", "\\"];

verifies(
  "dialects:patterns",
  "patterns that are valid in both languages, in JavaScript only, and in neither",
  () => {
    for (const pattern of VALID_IN_BOTH) expect(isPythonRegex(pattern), pattern).toBe(true);
    for (const pattern of INVALID_IN_PYTHON) {
      expect(isRegex(pattern), pattern).toBe(true);
      expect(isPythonRegex(pattern), pattern).toBe(false);
    }
    for (const pattern of INVALID) {
      expect(isRegex(pattern), pattern).toBe(false);
      expect(isPythonRegex(pattern), pattern).toBe(false);
    }
  },
);

verifies("dialects:patterns", "any text is checked without a throw, and a long one in bounded time", () => {
  const unit = fc.constantFrom(..."()[]{}?<=:!*+|^-,\\pu1a".split(""), "😀");
  fc.assert(fc.property(fc.string({ unit }), (text) => typeof isPythonRegex(text) === "boolean"));
  const start = performance.now();
  for (const part of ["(", "(a|", "[", "a{1,2}", "\\d", "(a)"]) isPythonRegex(part.repeat(20_000));
  expect(performance.now() - start).toBeLessThan(2_000);
});

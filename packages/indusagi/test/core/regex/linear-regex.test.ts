import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { type CompileLinear, loadLinearRegex } from "../../../src/core/internal.ts";

const compile: CompileLinear = await loadLinearRegex();

const atom = fc.constantFrom(
  ..."a b c 0 _ - é 😀".split(" "),
  ..."[abc] [^ab] [a-c0-9] [\\w-] [^\\d\\s] [[\\]] [a^-] [^] [] [\\b\\x41] [😀-😂] [\\-a] [\\S] [\\D] [\\W]".split(
    " ",
  ),
  ..."\\d \\D \\w \\W \\s \\S . ^ $ \\b \\B \\t \\n \\r \\v \\f \\0 \\cJ \\x61 \\u0061 \\u{1f600} \\ud83d\\ude00".split(
    " ",
  ),
  ..."\\. \\/ \\$ \\( \\p{L} \\P{Lu} \\p{Nd} \\p{White_Space} \\p{Alphabetic}".split(" "),
);
const isAssertion = (source: string): boolean => /^(?:\^|\$|\\b|\\B)$/.test(source);

const pattern = fc.letrec<{ readonly pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc
      .tuple(
        atom.filter((source) => !isAssertion(source)),
        fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,}", "*?"),
      )
      .map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie("pattern"), fc.constantFrom("", "*", "+", "{0,2}")).map(([a, b]) => `(${a})${b}`),
    tie("pattern").map((inner) => `^${inner}$`),
    fc.tuple(tie("pattern"), fc.nat()).map(([inner, at]) => `(?<g${at}>${inner})`),
  ),
})).pattern;

const text = fc
  .array(
    fc.constantFrom(
      ..."abcABz019_-.^$[](/ \t\n\r\v\f\0\bé\u00a0\u0085\u2028\ufeff\u0130ªⅠ".split(""),
      "😀",
      "😂",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

verifies("core:linear-regex", "a pattern that it can express matches as in JavaScript", () => {
  let expressed = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 3, maxLength: 6 }), (source, texts) => {
      if (new Set(source.match(/(?<=\(\?<)g\d+/g)).size < (source.match(/\(\?<g/g) ?? []).length) return;
      const linear = compile(source);
      expect(linear, source).toBeDefined();
      expressed += 1;
      const expected = new RegExp(source, "u");
      for (const one of texts)
        expect(linear?.test(one), `${source} on ${JSON.stringify(one)}`).toBe(expected.test(one));
    }),
    { numRuns: 1000 },
  );
  expect(expressed).toBeGreaterThan(500);
});

verifies("core:linear-regex", "the flag i ignores case as in JavaScript", () => {
  for (const source of ["^abc$", "^[a-c]+$", "^[^é]$", "^ǅ$", "σ", "^\\p{Lu}$"]) {
    const [linear, expected] = [compile(source, "i"), new RegExp(source, "iu")];
    for (const one of ["ABC", "abc", "É", "é", "ǆ", "Σ", "ς", "b", "1"])
      expect(linear?.test(one), `${source} on ${one}`).toBe(expected.test(one));
  }
});

verifies("core:linear-regex", "every character has the same sets as in JavaScript", () => {
  const sources = [
    "^.$",
    "^\\s$",
    "^\\S$",
    "^\\w$",
    "^\\d$",
    "^[^\\s]$",
    "^[\\S]$",
    "^\\p{L}$",
    "^\\p{Alphabetic}$",
  ];
  for (const source of sources) {
    const [linear, expected] = [compile(source), new RegExp(source, "u")];
    const wrong: number[] = [];
    for (let at = 0; at < 0x3_0000; at += at < 0x3000 ? 1 : 7) {
      const one = String.fromCodePoint(at);
      if (linear?.test(one) !== expected.test(one)) wrong.push(at);
    }
    expect(wrong, source).toEqual([]);
  }
});

verifies(
  "core:linear-regex",
  "a pattern that it cannot express, or that is not valid or too large, is refused",
  () => {
    for (const source of [
      "(?=a)",
      "(?!a)",
      "(?<=a)",
      "(?<!a)",
      "(a)\\1",
      "(?<n>a)\\k<n>",
      "\\p{Script=Greek}",
      "\\p{C}",
      "[\\ud800]",
      "(",
      "[b-a]",
      "\\q",
      "a**",
      "x{1001}",
      "(?:a{1,1000}){1,1000}",
      "a".repeat(4001),
    ])
      expect(compile(source), source.slice(0, 30)).toBeUndefined();
  },
);

/** Each takes JavaScript's engine longer than the age of the universe. */
const CATASTROPHIC = [
  "^(a+)+$",
  "^(a|a)*$",
  "^(a|aa)+$",
  "(.*)*=",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "^(?:a?){40}a{40}$",
  "(?:(?:a*)*)*b",
  "^(?:a{1,30}){1,30}$",
  "[ab]*a[ab]{900}$",
];

verifies(
  "core:linear-regex",
  "a catastrophic pattern takes time in proportion to the text",
  () => {
    for (const source of CATASTROPHIC) {
      const linear = compile(source);
      expect(linear, source).toBeDefined();
      expect(linear?.test(`${"a".repeat(10_000)}!`), source).toBe(false);
    }
  },
  { timeoutMs: 20_000 },
);

import { rm } from "node:fs/promises";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { grepTool } from "indusagi/capabilities";
import { expect } from "vitest";
import { contextIn, runTool, type Tree, writeTree } from "./fixture.ts";

const name = fc.constantFrom(
  ..."a b ab x.ts y.log .h node_modules .git é [q] a:1:b".split(" "),
  "z z",
  "n\nl",
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));

const GLOBS = String.raw`
  a /a a/ b/a /a/b * *.log *.ts ? ?? a* **/b a/** a/**/b ** /** a/* */a a** **a a**b /a/ a//b / .h é x.?? node_modules
  [ab] [!a] [^a]b [a-b]* [ [a [z-a] \[q\] [[]q] *[q]* {a,b} {a a} \a \!a \# .gitignore
  **/a/** *a*b* *.*.* {a,b}{.ts,b}{a,b} {a*,b}/*b*`;
const glob = fc.constantFrom(...GLOBS.trim().split(/\s+/), "# a", "", " ", "a ", "a\\ ", "z z");
const gitignore = fc
  .tuple(fc.array(fc.tuple(fc.boolean(), glob), { maxLength: 4 }), fc.constantFrom("\n", "\r\n"))
  .map(([rules, lineEnd]) =>
    rules.map(([negated, rule]) => `${negated ? "!" : ""}${rule}${lineEnd}`).join(""),
  );

const WORDS = String.raw`foo Foo FOO bar fo o _ 1 ٣ é É ß ſ K K 😀 - . ( \ `;
const SPACES = [
  " ",
  "  ",
  "\t",
  "\n",
  "\n",
  "\r\n",
  "\r\n",
  "\n\n",
  "\u00a0",
  "\u2028",
  "\u200d",
  "\ufeff",
  "\u0301",
];
const LONG = ["x".repeat(600), "é".repeat(1200), "😀".repeat(300)];
const text = fc
  .array(fc.constantFrom(...WORDS.trim().split(" "), ...SPACES, ...LONG), { maxLength: 24 })
  .map((parts) => parts.join(""));

/** How a text is transformed before it becomes a file. Counterexamples show the name, not megabytes of text. */
const RECIPES = {
  plain: (content: string) => Buffer.from(content),
  marked: (content: string) => Buffer.from(`\ufeff${content}`),
  binary: (content: string) => Buffer.from(`${content}\0foo`),
  "binary late": (content: string) => Buffer.from(`${"foo bar\n".repeat(600)}${content}\0foo`),
  "utf-16": (content: string) => Buffer.from(`\ufeff${content}`, "utf16le"),
  broken: (content: string) =>
    Buffer.concat([Buffer.from([0xff, 0x80, 0x0a]), Buffer.from(content), Buffer.from([0xc3])]),
  "just not too large": () => Buffer.alloc(2 * 1024 * 1024, "foo bar\n"),
  "too large": () => Buffer.alloc(2 * 1024 * 1024 + 1, "foo bar\n"),
};
type File = readonly [path: string, text: string, recipe: keyof typeof RECIPES];

const recipe = fc.oneof(
  { weight: 7, arbitrary: fc.constant("plain" as const) },
  { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(RECIPES) as (keyof typeof RECIPES)[])) },
);
const rulesFile = fc
  .tuple(fc.constantFrom("", "a/", "b/", "a/b/", "ab/"), gitignore)
  .map(([folder, lines]): File => [`${folder}.gitignore`, lines, "plain"]);
const files = fc
  .tuple(
    fc.array(fc.tuple(path, text, recipe), { minLength: 1, maxLength: 8 }),
    fc.array(rulesFile, { maxLength: 3 }),
  )
  .map(([content, rules]) => standingTogether([...content, ...rules]));

/** Removes names that would be both a file and a folder. */
function standingTogether(wanted: readonly File[]): File[] {
  const kept: File[] = [];
  for (const file of wanted) {
    const clashes = kept.some(
      ([other]) => `${other}/`.startsWith(`${file[0]}/`) || `${file[0]}/`.startsWith(`${other}/`),
    );
    if (!clashes) kept.push(file);
  }
  return kept;
}

function made(wanted: readonly File[]): Tree {
  return Object.fromEntries(wanted.map(([place, content, how]) => [place, RECIPES[how](content)]));
}

const ATOMS = String.raw`
  foo o é É s k \w \W \d \D \s \S . [a-f] [^o] [^o\s] [\w-] \b \B ^ $ \. \( \\ \- [.] \x{e9} \p{Lu} []_] 😀 ] } \t`;
const atom = fc.constantFrom(...ATOMS.trim().split(/\s+/), " ");
const quantified = fc
  .tuple(atom, fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,}", "*?"))
  .map(([what, often]) => (/^(\\b|\\B|\^|\$)$/i.test(what) ? what : what + often));
const expression = fc
  .array(
    fc.array(quantified, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    { minLength: 1, maxLength: 2 },
  )
  .map((branches) => (branches.length === 1 ? branches.join("") : `(${branches.join("|")})`));
const PATTERNS = String.raw`foo bar Foo é . x* ^$ (?i)FOO (?P<n>fo)o $ \S+$ fo+o f?oo`;
const pattern = fc.oneof(expression, fc.constantFrom(...PATTERNS.split(" "), "foo bar"));

const search = fc.record({
  pattern,
  path: fc.constantFrom(".", ".", "a", "a/b", "b"),
  flags: fc.constantFrom("", "", "i", "F", "w", "iw", "Fi", "Fw"),
  cap: fc.constantFrom(1, 7, 200, 5000),
});

verifies(
  "grep:same-results",
  "on random trees with nested .gitignore files, unusual content and unusual patterns",
  async () => {
    await using dir = await tempDir();
    const runs = atSize({ quick: 30, full: 2000 });
    await fc.assert(
      fc.asyncProperty(files, fc.array(search, { minLength: 1, maxLength: 3 }), async (wanted, searches) => {
        await rm(dir.at("t"), { recursive: true, force: true });
        await writeTree(dir.at("t"), made(wanted));
        const ctx = contextIn(dir.at("t"));
        for (const input of searches) {
          const withRipgrep = await runTool(grepTool(), input, ctx);
          const withFallback = await runTool(grepTool({ ripgrepPath: false }), input, ctx);
          expect({ input, ...withFallback }).toEqual({ input, ...withRipgrep });
        }
      }),
      { numRuns: runs },
    );
    recordFigure({
      what: "grep with ripgrep and without",
      size: `${runs} random trees`,
      found: "the same answers",
    });
  },
  { timeoutMs: atSize({ quick: 60_000, full: 1_800_000 }) },
);

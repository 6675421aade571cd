import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { readShellWords } from "../../../src/policy/internal.ts";

const SHELL = "/bin/bash";
const wordsOf = (text: string): string[][] =>
  readShellWords(text).parts.map(({ words }) => words.map((word) => word.text));

verifies("policy:shell-words", "words are split and unquoted as in a shell", () => {
  expect(wordsOf(`a "b c" 'd "e"' f\\ g ""`)).toEqual([["a", "b c", 'd "e"', "f g", ""]]);
  expect(wordsOf(`a"b"'c'd "\\$x \\a"`)).toEqual([["abcd", "$x \\a"]]);
  expect(wordsOf("a;b && c||d | e\nf")).toEqual([["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]);
  expect(wordsOf("a;\n\n")).toEqual([["a"]]);
});

verifies("policy:shell-words", "redirections, variables and globs are marked", () => {
  const { parts } = readShellWords("cmd a* 2>err >>log <in $x {1,2} 'q*'");
  expect(parts[0]?.redirects.map(({ operator, target }) => [operator, target.text])).toEqual([
    [">", "err"],
    [">>", "log"],
    ["<", "in"],
  ]);
  expect(parts[0]?.words).toEqual([
    { text: "cmd" },
    { text: "a*", globAt: 1 },
    { text: "$x", expands: true },
    { text: "{1,2}", expands: true },
    { text: "q*" },
  ]);
});

verifies("policy:shell-words", "what the reader does not follow is a problem", () => {
  for (const text of [
    "a $(b)",
    "a `b`",
    "a <<E",
    "a <(b)",
    "(a)",
    "a & b",
    "a 'b",
    'a "b',
    "a \\",
    "a && ",
    "; a",
    "a # b",
  ])
    expect(readShellWords(text).problem, text).toBeTypeOf("string");
});

const PIECES = [
  "a",
  "-b",
  " ",
  "  ",
  "'",
  '"',
  "\\",
  "$",
  "\t",
  "é",
  "=",
  "~",
  "%",
  "#",
  "!",
  "^",
  ",",
  ".",
  "/",
  "*",
];

verifies(
  "policy:shell-words",
  "the words that bash sees are the words of the reader, for random lines",
  () => {
    const line = fc
      .array(fc.constantFrom(...PIECES), { maxLength: 14 })
      .map((pieces) => `f ${pieces.join("")}`);
    const lines = fc.sample(line, { numRuns: 3_000, seed: 7 }).filter((text) => {
      const { parts, problem } = readShellWords(text);
      const words = parts.flatMap((part) => part.words);
      // Tildes and globs that bash would expand; `set -f` turns off the globs, and a home folder is not known here.
      return (
        problem === undefined && words.every(({ expands, text: word }) => !expands && !/^~|[:=]~/.test(word))
      );
    });
    expect(lines.length).toBeGreaterThan(500);
    const script = ["set -f", `f() { printf '%s\\0' "$#" "$@"; }`, ...lines].join("\n");
    const { stdout } = spawnSync(SHELL, ["-c", "--", script], { encoding: "utf8", timeout: 20_000 });
    const expected = lines.flatMap((text) => {
      const words = wordsOf(text).flat().slice(1);
      return [String(words.length), ...words];
    });
    expect(stdout.split("\0").slice(0, -1)).toEqual(expected);
  },
  { when: process.platform !== "win32" && existsSync(SHELL) },
);

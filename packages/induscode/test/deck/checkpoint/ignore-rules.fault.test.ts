import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { dirname } from "node:path";
import { atSize, tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { parseIgnoreRules } from "../../../src/deck/checkpoint/ignore-rules.ts";

const NAMES = ["a", "b", "ab", "a.o", "[a]", "a b", "#a", "!a", "{a,b}", "A", "a\\b", ".a", "é"];
const PATHS = [
  ...NAMES,
  ...NAMES.map((name) => `dir/${name}`),
  "dir/sub/a",
  "dir/sub/a.o",
  "dir/sub/dir/b",
  "x/y/z/a",
  "x/y/z/ab",
  "x/y/a b",
  "x/dir/a",
];

const part = fc.oneof(
  fc.constantFrom(...NAMES, "dir", "sub", "x", "y", "z"),
  fc.constantFrom(
    "*",
    "**",
    "?",
    "*.o",
    "a*",
    "*a*",
    "[ab]",
    "[!a]",
    "[a-z]",
    "[[:alpha:]]",
    "[[:nope:]]",
    "[a",
  ),
  fc.constantFrom("\\#a", "\\!a", "\\[a]", "a\\ ", "a\\", "***", "[]a]", "[^b-z]", "[a\\]]", "[A-", "{a,b}"),
);
const line = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "#"),
    fc.constantFrom("", "", "/", "**/"),
    fc.array(part, { minLength: 1, maxLength: 3 }),
    fc.constantFrom("", "", "", "/", "/**", " ", "  ", "\r"),
  )
  .map(([sign, start, parts, end]) => `${sign}${start}${parts.join("/")}${end}`);

verifies(
  "checkpoint:ignore-rules",
  "random rules ignore the same files of a tree as git",
  async () => {
    await using dir = await tempDir();
    const env = {
      ...process.env,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      HOME: dir.path,
      XDG_CONFIG_HOME: "",
    };
    const git = (...args: readonly string[]): string =>
      execFileSync("git", [...args], { cwd: dir.at("top"), env, encoding: "utf8" });
    mkdirSync(dir.at("top"));
    git("init", "-q", "--template=");
    for (const path of PATHS) {
      mkdirSync(dirname(dir.at("top", path)), { recursive: true });
      writeFileSync(dir.at("top", path), "");
    }
    const lines = fc.array(line, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lines, (chosen) => {
        const text = chosen.join("\n");
        writeFileSync(dir.at("top", ".gitignore"), text);
        const listed = git("ls-files", "--others", "--exclude-standard", "-z").split("\0");
        const seen = PATHS.filter((path) => isSeen(text, path));
        expect(seen.toSorted(), text).toEqual(listed.filter((path) => PATHS.includes(path)).toSorted());
      }),
      { numRuns: atSize({ quick: 40, full: 2000 }) },
    );
  },
  { only: ["linux"], timeoutMs: 10 * 60_000 },
);

/** Nothing below an ignored folder is looked at. */
function isSeen(text: string, path: string): boolean {
  const rules = parseIgnoreRules(text);
  const parts = path.split("/");
  return parts.every((_, at) => rules(parts.slice(0, at + 1).join("/"), at < parts.length - 1) !== true);
}

verifies("checkpoint:ignore-rules", "no pattern takes longer than its size times that of the path", () => {
  const stars = parseIgnoreRules(`${"*a".repeat(500)}b\n${"**/a/".repeat(500)}b`);
  const path = `${"a/".repeat(1000)}${"a".repeat(250)}`;
  // Each of these would take years with a matcher that tries every split.
  expect(stars(path, false)).toBeUndefined();
  expect(stars("a".repeat(20_000), false)).toBeUndefined();
});

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { readerProblem } from "induscode/policy";
import { afterAll, expect } from "vitest";
import { foldersOf } from "../../../src/policy/commands/plain-reader.ts";
import { readShellWords } from "../../../src/policy/internal.ts";
import { anyText } from "../any-text.ts";
import { READING_COMMANDS } from "./reading-commands.ts";
import { fillScratchFolder } from "./scratch-folder.ts";
import { WRITING_COMMANDS } from "./writing-commands.ts";

const temp = await tempDir();
afterAll(() => temp[Symbol.asyncDispose]());
const place = { session: temp.at("project"), cwd: temp.at("project") };
mkdirSync(place.session);
fillScratchFolder(place.session);

verifies("policy:readers", "more than 100 commands that only read pass, all of them", () => {
  expect(READING_COMMANDS.length).toBeGreaterThanOrEqual(100);
  expect(READING_COMMANDS.filter((command) => readerProblem(command, place) !== undefined)).toEqual([]);
});

verifies("policy:readers", "more than 100 commands that write in disguise are refused, all of them", () => {
  expect(WRITING_COMMANDS.length).toBeGreaterThanOrEqual(100);
  const passed = WRITING_COMMANDS.filter(({ command }) => readerProblem(command, place) === undefined);
  expect(passed).toEqual([]);
});

verifies(
  "policy:readers",
  "a reader joined with a writer is refused, whatever joins them and in both orders",
  () => {
    const joint = fc.constantFrom(";", "&&", "||", "|", "\n", " & ", "\n\n", " ;");
    const reader = fc.constantFrom(...READING_COMMANDS);
    const writer = fc.constantFrom(...WRITING_COMMANDS.map(({ command }) => command));
    fc.assert(
      fc.property(reader, joint, writer, fc.boolean(), (reads, between, writes, isFirst) => {
        const command = isFirst ? `${reads}${between}${writes}` : `${writes}${between}${reads}`;
        expect(readerProblem(command, place)).toBeTypeOf("string");
      }),
    );
  },
);

verifies(
  "policy:readers",
  "a reader passes whatever joins it with another reader, except in the background",
  () => {
    const reader = fc.constantFrom(...READING_COMMANDS.filter((command) => !command.includes("cd ")));
    fc.assert(
      fc.property(reader, fc.constantFrom(";", " && ", "||", "|", "\n"), reader, (left, between, right) => {
        expect(readerProblem(`${left}${between}${right}`, place)).toBeUndefined();
      }),
    );
    expect(readerProblem("ls & ls", place)).toContain("background");
  },
);

verifies(
  "policy:readers",
  "an option that is not in the list is refused, also in a group and abbreviated",
  () => {
    for (const command of [
      "ls --foo",
      "ls -l!",
      "cat -nQ x",
      "grep --fil=x y",
      "head -n",
      "git log --foo",
      "git",
    ])
      expect(readerProblem(command, place), command).toBeTypeOf("string");
    expect(readerProblem("constructor", place)).toContain('"constructor"');
  },
);

verifies(
  "policy:readers",
  "git runs in the repository of the session, or in one that is all in its folder",
  () => {
    const problem = (command: string): string | undefined => readerProblem(command, place);
    expect(problem("cd src && git log")).toBeUndefined();
    expect(problem("cd src && cd .. && git log")).toBeUndefined();
    for (const folder of ["nested", "src/../nested"])
      expect(problem(`cd ${folder} && git log`), folder).toContain("not in the session's folder");
    expect(problem("cd nested; git log")).toContain("more than one repository");
    expect(problem("true || cd nested; git log")).toContain("more than one repository");
    expect(problem("ls | cd nested; git log")).toContain("more than one repository");
    for (const target of ["", " ~", " -", " -P src", " sr*", " missing", " README.md", " src README.md"])
      expect(problem(`cd${target} && ls`), target).toContain("cd: ");
  },
);

verifies(
  "policy:readers",
  "a command runs in each folder that a cd may lead to, as it succeeds or fails",
  () => {
    const folders = (line: string): string[] => {
      const { parts } = readShellWords(line);
      const after = (folder: string, { words }: { readonly words: readonly { readonly text: string }[] }) =>
        words[0]?.text === "cd" ? `${folder}/${words[1]?.text}` : undefined;
      return foldersOf(parts, "", after).map((some) => [...some].sort().join(" "));
    };
    expect(folders("cd a && x")).toEqual(["", "/a"]);
    expect(folders("cd a || x")).toEqual(["", ""]);
    expect(folders("cd a; x")).toEqual(["", " /a"]);
    expect(folders("x || cd a; y")).toEqual(["", "", " /a"]);
    expect(folders("cd a && cd b || x; y")).toEqual(["", "/a", " /a", " /a /a/b"]);
    expect(folders("x | cd a; y")).toEqual(["", "", " /a"]);
    expect(folders("cd a | x; y")).toEqual(["", "", ""]);
  },
);

verifies("policy:readers", "a glob is followed: no option, and nothing outside the session's folder", () => {
  const folder = temp.at("globs");
  mkdirSync(temp.at("globs", "in"), { recursive: true });
  writeFileSync(temp.at("globs", "in", "a.ts"), "");
  symlinkSync("/etc", temp.at("globs", "in", "out"));
  const problem = (command: string): string | undefined =>
    readerProblem(command, { session: folder, cwd: folder });
  for (const command of ["cat */*.ts", "cat *.none", "ls ./*", "ls -d */"])
    expect(problem(command), command).toBeUndefined();
  expect(problem("cat in/*")).toContain("leads outside");
  expect(problem("cat in/*/passwd")).toContain("outside the session's folder");
  expect(problem("cat ../*")).toContain("outside the session's folder");
  expect(problem("cat .*")).toContain("the parent folder");
  expect(problem("cat ~/.ss*/id_rsa")).toContain("outside");
  expect(problem("grep -R x in")).toContain("it follows links");
  expect(problem("grep -r x in")).toBeUndefined();
  writeFileSync(temp.at("globs", "-x"), "");
  expect(problem("cat *")).toContain("write ./ before it");
  expect(problem("cat ./*")).toBeUndefined();
});

verifies("policy:readers", "the answer names what is wrong, and any text gets an answer", () => {
  expect(readerProblem("sort -o x y", place)).toBe("sort: the option -o is not known to only read");
  expect(readerProblem("ls *", place)).toContain("write ./ before it");
  expect(readerProblem("x".repeat(30_000), place)).toContain("more than 20000 characters");
  expect(readerProblem("", place)).toContain("no command");
  fc.assert(
    fc.property(anyText, (text) => {
      const answer = readerProblem(text, place);
      expect(answer === undefined || answer.length > 5).toBe(true);
    }),
  );
});

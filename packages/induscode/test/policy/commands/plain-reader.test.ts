import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { readerProblem } from "induscode/policy";
import { expect } from "vitest";
import { anyText } from "../any-text.ts";
import { READING_COMMANDS } from "./reading-commands.ts";
import { WRITING_COMMANDS } from "./writing-commands.ts";

const place = { session: "/project", cwd: "/project" };

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
  "git runs only in the session's folder: another may name programs in its configuration",
  () => {
    expect(readerProblem("git log", { session: "/project", cwd: "/project/sub" })).toContain(
      "another folder",
    );
    expect(readerProblem("cd /project && git log", place)).toBeUndefined();
    expect(readerProblem("cd sub && cd .. && git log", place)).toBeUndefined();
    expect(readerProblem("cd ~ && git log", place)).toContain("another folder");
    expect(readerProblem("cd && git log", place)).toContain("another folder");
  },
);

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

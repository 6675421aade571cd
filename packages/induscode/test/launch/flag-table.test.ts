import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS, FLAGS, type FlagSpec } from "../../src/launch/flag-table.ts";
import { helpText } from "../../src/launch/help.ts";
import { parseArguments } from "../../src/launch/parse-arguments.ts";
import { parseFlags } from "../../src/launch/parse-flags.ts";

const TODAY = [
  "--json",
  "--mcp",
  "--exit-code",
  "--verbose",
  "--args",
  "--timeout",
  "--no-check",
  "--stdio",
  "--port",
  "--host",
  "--token-env",
  "--wait",
  "--with-parent",
  "--demo",
  "--cwd",
  "--help",
  "--version",
];

verifies("command:flag-table", "the flags are these", () => {
  expect(FLAGS.map(({ name }) => name)).toEqual(TODAY);
});

verifies("command:flag-table", "the help shows every command and describes every flag once", () => {
  const help = helpText();
  for (const { name, summary } of COMMANDS) {
    expect(help).toContain(`\n  indus${name === "" ? "" : ` ${name}`}`);
    expect(help.replaceAll(/\s+/g, " ")).toContain(summary);
  }
  for (const { name, describe } of FLAGS) {
    expect(help.split(describe)).toHaveLength(2);
    expect(help.split("\n").filter((line) => line.includes(describe))).toEqual([
      expect.stringContaining(name),
    ]);
  }
  expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});

verifies(
  "command:help",
  "the help of a command shows that command, its flags and examples that parse",
  () => {
    for (const command of COMMANDS.filter(({ name }) => name !== "")) {
      const help = helpText(command.name);
      const others = COMMANDS.filter(({ name }) => name !== "" && name !== command.name);
      expect(help).toMatch(new RegExp(`^  indus ${command.name}\\b`));
      for (const { summary } of others) expect(help.replaceAll(/\s+/g, " ")).not.toContain(summary);
      for (const { name, describe, commands } of FLAGS) {
        const isShown = name === "--help" || commands.includes(command.name);
        expect(help.includes(describe), `${command.name} ${name}`).toBe(isShown);
      }
      expect(command.examples?.length, command.name).toBeGreaterThan(0);
      for (const line of command.examples ?? []) {
        expect(help).toContain(line);
        expect(parseArguments(line.split(" ").slice(1)), line).not.toMatchObject({ command: "usage" });
      }
    }
    expect(helpText("mcp")).toMatch(/^ {2}indus mcp list[^]*\n {2}indus mcp call/);
  },
);

verifies("command:flag-table", "a command accepts exactly the flags whose row names it", () => {
  const accepted = COMMANDS.map(({ name }) => {
    const words = name === "" ? [] : name.split(" ");
    return FLAGS.filter((flag) => !isUnknown([...words, ...wordsOf(flag)]))
      .filter((flag) => flag.name !== "--help")
      .map((flag) => flag.name);
  });
  expect(accepted).toEqual([
    ["--version"],
    ["--json"],
    ["--json", "--args", "--timeout", "--no-check"],
    ["--json", "--mcp", "--exit-code", "--verbose"],
    ["--json", "--mcp", "--args", "--timeout", "--no-check"],
    ["--mcp"],
    ["--mcp", "--stdio", "--port", "--host", "--token-env", "--wait", "--with-parent", "--demo", "--cwd"],
    [],
  ]);
});

verifies("command:flag-table", "every row is consistent with the others", () => {
  for (const { name, aliases, kind, value, commands, requiredBy = [], excludes = [] } of FLAGS) {
    for (const spelling of [name, ...aliases]) expect(spelling).toMatch(/^(--[a-z]+(-[a-z]+)*|-[a-z])$/);
    expect(value === undefined, name).toBe(kind === "boolean");
    expect(commands.length, name).toBeGreaterThan(0);
    expect(requiredBy.every((command) => commands.includes(command))).toBe(true);
    expect(excludes.every((other) => TODAY.includes(other))).toBe(true);
  }
});

verifies("command:flag-table", "a new row is understood in every spelling, without other changes", () => {
  const row: Omit<FlagSpec, "name" | "kind"> = {
    aliases: [],
    group: "Output",
    describe: "A flag of this test.",
    commands: ["tools"],
  };
  const rows: readonly FlagSpec[] = [
    { ...row, name: "--print", aliases: ["-p", "--show"], kind: "boolean" },
    { ...row, name: "--model", aliases: ["-m"], kind: "string", value: "NAME" },
    { ...row, name: "--tools", kind: "list", value: "NAME" },
  ];
  const command = { name: "tools", summary: "" } as const;
  const read = (line: string): object => {
    const flags = parseFlags(line.split(" "), command, rows);
    if ("problem" in flags) return flags;
    return { print: flags.has("--print"), model: flags.value("--model"), tools: flags.list("--tools") };
  };
  for (const line of ["--print --model x", "-p -m x", "-pm x", "--show -mx", "--model=x --print"])
    expect(read(line), line).toEqual({ print: true, model: "x", tools: [] });
  expect(read("--tools a --tools=b")).toEqual({ print: false, model: undefined, tools: ["a", "b"] });
  expect(read("--show=1")).toEqual({ problem: "--print takes no value" });
  expect(read("-m")).toEqual({ problem: "--model needs a value: --model NAME" });
});

function wordsOf({ name, kind }: FlagSpec): string[] {
  return kind === "boolean" ? [name] : [name, "1"];
}

function isUnknown(words: readonly string[]): boolean {
  const invocation = parseArguments(words);
  return invocation.command === "usage" && invocation.unknown !== undefined;
}

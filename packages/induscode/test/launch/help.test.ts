import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS } from "../../src/commands/index.ts";
import { splitWords } from "../../src/conductor/mentions/index.ts";
import { MAIN_FLAGS } from "../../src/launch/flag-table.ts";
import { helpText, parseArguments } from "../../src/launch/internal.ts";
import { EVERYWHERE } from "../../src/launch/shared-flags.ts";

/** Words are wrapped, so that only the words are compared. */
const words = (text: string): string => text.replaceAll(/\s+/g, " ");

verifies("command:flag-table", "the help shows every command and every flag of the main table", () => {
  const help = helpText(COMMANDS);
  for (const { name, summary } of COMMANDS) {
    expect(help).toMatch(new RegExp(`\n  ${name}\\b`));
    expect(words(help)).toContain(summary.split(/(?<=\.)\s/)[0]);
  }
  for (const { name, describe } of MAIN_FLAGS) {
    expect(help, name).toMatch(new RegExp(`\n  (-., |--rpc, )?${name}\\b`));
    expect(words(help).split(describe), name).toHaveLength(2);
  }
});

verifies(
  "command:help",
  "the help of a command shows that command, its flags and examples that parse",
  () => {
    for (const command of COMMANDS) {
      const help = words(helpText(COMMANDS, command.name));
      expect(helpText(COMMANDS, command.name)).toMatch(new RegExp(`^  indus ${command.name}\\b`));
      for (const { name, summary } of COMMANDS) {
        const isShown = name === command.name || name.startsWith(`${command.name} `);
        expect(help.includes(summary), `${command.name}: ${name}`).toBe(isShown);
      }
      for (const { describe } of [...command.flags, ...EVERYWHERE]) expect(help).toContain(describe);
      expect(command.examples.length, command.name).toBeGreaterThan(0);
      for (const line of command.examples) {
        expect(help).toContain(line);
        // No shell changes what is left without quotes: it expands braces and wildcards, and removes quotes.
        expect(line.replaceAll(/'[^']*'/g, "")).toMatch(/^[\w ./:@=,-]+$/);
        expect(parseArguments(splitWords(line).slice(1), COMMANDS), line).not.toMatchObject({
          kind: "usage",
        });
      }
    }
  },
);

/** The commands under each heading of a help. */
function grouped(help: string): Record<string, string[]> {
  const sections = [...help.matchAll(/^(Everyday|Repair|Team):\n((?: .*\n)+)/gm)];
  return Object.fromEntries(
    sections.map(([, heading = "", lines = ""]) => [
      heading,
      [...lines.matchAll(/^ {2}(\S+(?: \S+)?)(?: {2}|$)/gm)].map(([, name = ""]) => name),
    ]),
  );
}

verifies(
  "command:help-groups",
  "the help lists each command once, under its group, in the order of the table",
  () => {
    const names = (group: string, family = ""): string[] =>
      COMMANDS.filter((command) => command.group === group && command.name.startsWith(family)).map(
        ({ name }) => name,
      );
    expect(grouped(helpText(COMMANDS))).toEqual({
      Everyday: names("everyday"),
      Repair: names("repair"),
      Team: names("team"),
    });
    expect(grouped(helpText(COMMANDS, "mcp"))).toEqual({
      Everyday: names("everyday", "mcp "),
      Repair: names("repair", "mcp "),
    });
    expect(grouped(helpText(COMMANDS, "token"))).toEqual({ Team: names("team", "token ") });
  },
);

verifies("command:help-groups", "a family without a second word prints its menu", () => {
  for (const family of ["mcp", "token", "service"]) {
    expect(parseArguments([family], COMMANDS)).toEqual({ kind: "help", topic: family });
    expect(helpText(COMMANDS, family)).toContain(`indus help ${family} COMMAND`);
  }
});

verifies("command:help", "no line is longer than 80 characters, or than a narrower terminal", () => {
  const topics = ["", "mcp", ...COMMANDS.map(({ name }) => name)];
  for (const topic of topics)
    for (const width of [60, 80, 200]) {
      const isExample = (line: string): boolean => line.startsWith("  indus ");
      const lines = helpText(COMMANDS, topic, width)
        .split("\n")
        .filter((line) => !isExample(line));
      expect(Math.max(...lines.map((line) => line.length)), `${topic} ${width}`).toBeLessThanOrEqual(
        Math.min(width, 80),
      );
    }
});

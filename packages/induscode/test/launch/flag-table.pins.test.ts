import { verifies } from "@indus/testkit";
import { flagSpecs } from "induscode/launch";
import { expect } from "vitest";
import { COMMANDS } from "../../src/commands/index.ts";
import { MAIN_FLAGS } from "../../src/launch/flag-table.ts";
import type { Flag } from "../../src/launch/internal.ts";
import { parseFlags } from "../../src/launch/parse-flags.ts";
import { EVERYWHERE } from "../../src/launch/shared-flags.ts";

verifies("command:flag-table", "the main table has these 18 rows in five groups, frozen", () => {
  const rows = flagSpecs();
  expect(rows.map(({ group, kind, name, aliases }) => [group, kind, name, ...aliases].join(" "))).toEqual([
    "Output boolean --print -p",
    "Output boolean --json --rpc",
    "Output boolean --interactive -i",
    "Model string --model -m",
    "Model string --fallback-model",
    "Model string --account",
    "Model string --thinking",
    "Model boolean --list-models",
    "Context string --cwd",
    "Context string --system",
    "Context string --append-system",
    "Context string --resume -r",
    "Context boolean --continue -c",
    "Tools list --tools",
    "Tools boolean --no-tools",
    "Tools list --mcp",
    "Meta boolean --help -h",
    "Meta boolean --version -v",
  ]);
  expect(flagSpecs()).toBe(rows);
  for (const row of rows) {
    expect(Object.keys(row).sort()).toEqual(["aliases", "describe", "group", "kind", "name"]);
    expect([Object.isFrozen(rows), Object.isFrozen(row), Object.isFrozen(row.aliases)]).not.toContain(false);
  }
});

const commands = COMMANDS.map((command) => ({
  ...command,
  flags: [...command.flags, ...EVERYWHERE],
}));

verifies("command:flag-table", "every row is consistent with the others", () => {
  for (const { name: command, flags } of [...commands, { name: "indus", flags: MAIN_FLAGS }]) {
    const spellings = flags.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(spellings).size, command).toBe(spellings.length);
    for (const { name, kind, value, describe, excludes = [] } of flags) {
      expect(value === undefined, `${command} ${name}`).toBe(kind === "boolean");
      expect(describe, name).toMatch(/^[A-Z].*\.$/);
      expect(excludes.filter((other) => !spellings.includes(other))).toEqual([]);
    }
    for (const spelling of spellings) expect(spelling).toMatch(/^(--[a-z]+(-[a-z]+)*|-[a-zA-Z])$/);
  }
});

verifies("command:flag-table", "a new row is understood in every spelling, without other changes", () => {
  const row: Omit<Flag, "name" | "kind"> = { aliases: [], describe: "A flag of this test." };
  const flags: readonly Flag[] = [
    { ...row, name: "--print", aliases: ["-p", "--show"], kind: "boolean" },
    { ...row, name: "--model", aliases: ["-m"], kind: "string", value: "NAME" },
    { ...row, name: "--tools", kind: "list", value: "NAME" },
    { ...row, name: "--rule", kind: "string", value: "RULE", repeats: true },
  ];
  const read = (line: string): object => {
    const given = parseFlags(line.split(" "), { name: "test", flags });
    if ("problem" in given) return given;
    return {
      print: given.has("--print"),
      model: given.value("--model"),
      lists: [...given.list("--tools"), ...given.list("--rule")],
    };
  };
  for (const line of ["--print --model x", "-p -m x", "-pm x", "--show -mx", "--model=x --print"])
    expect(read(line), line).toEqual({ print: true, model: "x", lists: [] });
  expect(read("--tools a,b --tools=c --rule d,e --rule f")).toEqual({
    print: false,
    model: undefined,
    lists: ["a", "b", "c", "d,e", "f"],
  });
  expect(read("--show=1")).toEqual({ problem: "--print takes no value" });
  expect(read("-m")).toEqual({ problem: "--model needs a value: --model NAME" });
});

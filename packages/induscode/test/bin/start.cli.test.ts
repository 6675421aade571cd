import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";

const bundle = fileURLToPath(new URL("../../dist/command", import.meta.url));

/** The sources of the file that every start loads, below `packages`. */
function startSources(): string[] {
  const [name = ""] = readdirSync(bundle).filter((file) => /^main\.[\w-]{8}\.cjs\.map$/.test(file));
  const { sources } = JSON.parse(readFileSync(join(bundle, name), "utf8")) as { sources: string[] };
  return sources.map((source) => source.replace(/^(.*\/)?packages\//, ""));
}

verifies("command:bundle", "a start loads the words of all commands, and nothing of what they do", () => {
  const sources = startSources();
  const inCommands = sources.filter((source) => source.startsWith("induscode/src/commands/"));
  expect(inCommands).toContain("induscode/src/commands/mcp/list.ts?words");
  expect(inCommands.filter((source) => !source.endsWith("?words")).sort()).toEqual([
    "induscode/src/commands/command-table.ts",
    "induscode/src/commands/run-command.ts",
    "induscode/src/commands/serve/serve-line.ts",
    "induscode/src/commands/subcommand.ts",
  ]);
  const rooms = new Set(sources.map((source) => source.split("/").slice(0, -1).join("/")));
  const isWords = (room: string): boolean => room.startsWith("induscode/src/commands");
  expect([...rooms].filter((room) => !isWords(room) && room.startsWith("induscode/")).sort()).toEqual([
    "induscode/src/bin",
    "induscode/src/boot",
    "induscode/src/boot/run",
    "induscode/src/conductor/open",
    "induscode/src/gateway/operations/audit",
    "induscode/src/launch",
    "induscode/src/launch/arguments",
    "induscode/src/screen",
    "induscode/src/screen/terminal",
  ]);
  expect(new Set(sources.map((source) => source.split("/").slice(0, 3).join("/")))).toContain(
    "indusagi/src/core",
  );
  expect(sources.filter((source) => /^indusagi\/src\/(?!core\/)/.test(source))).toEqual([]);
});

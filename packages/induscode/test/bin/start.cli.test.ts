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
  ]);
  const rooms = new Set(sources.map((source) => source.split("/").slice(0, 3).join("/")));
  expect([...rooms].sort()).toEqual([
    "indusagi/src/core",
    "induscode/src/audit",
    "induscode/src/bin",
    "induscode/src/boot",
    "induscode/src/commands",
    "induscode/src/launch",
    "induscode/src/screen",
  ]);
});

import { readdirSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS } from "../packages/induscode/src/commands/index.ts";
import { splitWords } from "../packages/induscode/src/conductor/mentions/index.ts";
import { parseArguments } from "../packages/induscode/src/launch/internal.ts";
import { readDocument, root, shellCommands } from "./kit/documents.ts";

const pages = readdirSync(`${root}docs/guide`).filter((name) => name.endsWith(".md"));

/** A code block, with the `file#region` from the comment above it. */
const BLOCK = /(?:<!-- (\S+)#(\S+) -->\n)?```ts\n([\s\S]*?)```/g;

/** The text of all regions with that name in a file. */
function regionOf(file: string, name: string): string {
  const parts = [...readDocument(file).matchAll(/^\/\/ #region (\S+)\n([\s\S]*?)^\/\/ #endregion$/gm)];
  return parts
    .filter(([, region]) => region === name)
    .map(([, , body]) => body)
    .join("");
}

for (const page of pages) {
  verifies("docs:guide", `${page}: every block is a region of an example`, () => {
    const text = readDocument(`docs/guide/${page}`);
    const blocks = [...text.matchAll(BLOCK)];
    expect(blocks.length + shellCommands(text).length).toBeGreaterThan(0);
    for (const [, file, region, code] of blocks) {
      if (file === undefined || region === undefined)
        throw new Error(`a code block of ${page} has no comment with its example:\n${code}`);
      expect(code, `${file}#${region}`).toBe(regionOf(file, region));
    }
  });
}

/** Pages whose commands are run by a test of their own. */
const TOURS = ["README.md", "docs/guide/native-tools.md", "docs/guide/servers.md", "docs/guide/serving.md"];

for (const page of pages) {
  verifies("docs:guide", `${page}: every command is run by a test, or is one that the parser accepts`, () => {
    const known = new Set(TOURS.flatMap((tour) => shellCommands(readDocument(tour))));
    const text = readDocument(`docs/guide/${page}`);
    const others = shellCommands(text).filter((command) => !known.has(command));
    // Such as the approval of a change that a server has not made here.
    const refused = others.filter(
      (command) =>
        !["command", "session", "help"].includes(parseArguments(splitWords(command).slice(1), COMMANDS).kind),
    );
    expect(refused).toEqual([]);
    expect(others.filter((command) => !command.startsWith("indus "))).toEqual([]);
  });
}

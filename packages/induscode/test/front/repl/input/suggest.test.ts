import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { Suggester } from "../../../../src/front/repl/input/suggest.ts";
import { eventually } from "../../../bin/run-indus.ts";

const COMMANDS = [
  { name: "mcp", summary: "The servers.", words: ["status", "connect"] },
  { name: "model", summary: "The model." },
  { name: "mode", summary: "The mode." },
];

/** The texts that are suggested once everything has been read. */
async function openSuggester(cwd: string) {
  const suggester = new Suggester({
    cwd,
    commands: COMMANDS,
    signal: new AbortController().signal,
    changed: () => {},
  });
  return {
    suggester,
    texts: (typed: string): Promise<readonly string[]> =>
      eventually(() => {
        const found = suggester.suggest(typed);
        return found?.isLoading ? undefined : (found?.items.map(({ text }) => text) ?? ["none"]);
      }),
  };
}

verifies(
  "repl:menu",
  "commands and their arguments are suggested at the start of a prompt only",
  async () => {
    const { texts } = await openSuggester("/");
    expect(await texts("/")).toEqual(["/mcp", "/model", "/mode"]);
    expect(await texts("/mod")).toEqual(["/model", "/mode"]);
    // What is typed completely comes first.
    expect(await texts("/mode")).toEqual(["/mode", "/model"]);
    expect(await texts("/mcp ")).toEqual(["status", "connect"]);
    expect(await texts("/mcp c")).toEqual(["connect"]);
    for (const other of ["/mcp connect x", "see /m", "/usr/lib", "a@b", "@a "])
      expect(await texts(other)).toEqual(["none"]);
  },
);

verifies(
  "repl:menu",
  "files are suggested by the beginning of a word in their name, folder by folder",
  async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at("src", "inner"), { recursive: true });
    for (const name of ["a.ts", "Ab.ts", "my-ab.ts", ".hidden", "with space", "日本.md", "x\u001b[2J"])
      writeFileSync(dir.at(name), "");
    writeFileSync(dir.at("src", "x.ts"), "");
    symlinkSync(dir.at("src"), dir.at("link"));
    const { texts, suggester } = await openSuggester(dir.at("."));
    expect(await texts("see @")).toEqual(["@Ab.ts", "@a.ts", "@link/", "@my-ab.ts", "@src/", "@日本.md"]);
    expect(await texts("@ab")).toEqual(["@Ab.ts", "@my-ab.ts"]);
    expect(await texts("@.")).toEqual(["@.hidden"]);
    expect(await texts("@src/")).toEqual(["@src/inner/", "@src/x.ts"]);
    expect(await texts(`@${dir.at("src")}/x`)).toEqual([`@${dir.at("src")}/x.ts`]);
    expect(await texts("@nowhere/x")).toEqual([]);
    // The next prompt sees new files.
    expect(await texts("@new")).toEqual([]);
    writeFileSync(dir.at("new.ts"), "");
    suggester.refresh();
    expect(await texts("@new")).toEqual(["@new.ts"]);
  },
);

verifies("repl:menu", "a huge folder is read in the background, and each answer is quick", async () => {
  await using dir = await tempDir();
  for (let at = 0; at < 3_000; at++) writeFileSync(dir.at(`file-${at}.txt`), "");
  const { texts, suggester } = await openSuggester(dir.at("."));
  // Nothing is read before the answer.
  expect(suggester.suggest("@")).toMatchObject({ items: [], isLoading: true });
  let turns = 0;
  const count = setInterval(() => turns++, 1);
  expect(await texts("@file-2999")).toEqual(["@file-2999.txt"]);
  clearInterval(count);
  expect(turns).toBeGreaterThan(0);
  expect((await texts("@f")).length).toBeLessThanOrEqual(500);
});

import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS } from "../../src/commands/index.ts";
import { nearCommands } from "../../src/commands/near-commands.ts";
import { scratchHome } from "./in-home.ts";

/** With two letters swapped. */
const misspelt = (word: string): string =>
  `${word.slice(0, 2)}${word.charAt(3)}${word.charAt(2)}${word.slice(4)}`;

verifies(
  "command:first-word",
  "two swapped letters in any longer word of a command still find it",
  async () => {
    for (const { name, aliases = [] } of COMMANDS)
      for (const spelling of [name, ...aliases]) {
        const word = spelling.split(" ").at(-1) ?? "";
        const near = await nearCommands(word.length < 5 ? word : misspelt(word), COMMANDS);
        // The name of a family may stand for one of its commands.
        expect(near, spelling).toContain(spelling.includes(" ") ? name : spelling);
      }
    expect(await nearCommands("lst", COMMANDS)).toEqual([
      "mcp list",
      "token list",
      "config list",
      "sessions list",
    ]);
    expect(await nearCommands("frobnicate", COMMANDS)).toEqual([]);
  },
);

verifies("command:first-word", "one line with exit code 2, whatever follows the word", async () => {
  await using scratch = await scratchHome();
  const prompt = "a prompt needs -p, which answers it and exits, or -i";
  for (const [words, line] of [
    [
      ["lst"],
      'unknown command "lst"; did you mean mcp list or token list or config list or sessions list?\n',
    ],
    [["rm"], 'unknown command "rm"; did you mean mcp remove?\n'],
    [["sevre", "--port", "1"], 'unknown command "sevre"; did you mean serve?\n'],
    [["cal", "read", "path=x"], 'unknown command "cal"; did you mean call'],
    [["cal", "read", "path=x"], "? A prompt needs -p\n"],
    [["frobnicate"], prompt],
    [["sevre the people"], prompt],
    [["frobnicate", "--modle", "x"], 'unknown flag "--modle" for indus; did you mean --mode or --model?'],
    [["sevre", "-p", "--modle", "x"], 'unknown flag "--modle" for indus; did you mean --mode or --model?'],
    [["-p", "hi", "--allow", "bash("], 'rule "bash(": use one of the forms'],
    [["-p", "--allow", "bash("], 'rule "bash(": use one of the forms'],
  ] as const) {
    const ran = await scratch.indus(...words);
    expect(ran, words.join(" ")).toMatchObject({ code: 2, out: "", err: expect.stringContaining(line) });
    expect(ran.err.trimEnd().split("\n")).toHaveLength(1);
  }
});

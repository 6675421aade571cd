import { closestNames } from "indusagi/core";
import { type CommandSpecs, commandWords } from "../launch/internal.ts";

const MAX_NAMES = 4;

/** The commands that a wrong first word may mean, at most four: `sevre` is `serve`, and `lst` is `mcp list` or `token list`. */
export async function nearCommands(word: string, commands: CommandSpecs): Promise<readonly string[]> {
  const byWord = new Map<string, readonly string[]>(commandWords(commands).map((name) => [name, [name]]));
  for (const { name, aliases = [] } of commands)
    for (const spelling of [name, ...aliases]) {
      const [, verb] = spelling.split(" ");
      if (verb !== undefined) byWord.set(verb, [...(byWord.get(verb) ?? []), name]);
    }
  // A verb that is typed exactly is no misspelling of another.
  const near = byWord.has(word) ? [word] : await closestNames(word, [...byWord.keys()]);
  return [...new Set(near.flatMap((each) => byWord.get(each) ?? []))].slice(0, MAX_NAMES);
}

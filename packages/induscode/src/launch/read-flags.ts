/** What a flag takes: nothing, one value (the last one given counts), or any number of them. */
type FlagKind = "switch" | "value" | "list";

export interface FlagTable {
  readonly [flag: string]: FlagKind;
}

/** The words of a command line, sorted. */
export interface FlagReading {
  has(flag: string): boolean;
  value(flag: string): string | undefined;
  list(flag: string): readonly string[];
  /** What is no flag, in order. */
  readonly rest: readonly string[];
}

/** Tells flags from the other words: `--flag value` and `--flag=value`; after `--` nothing is a flag. */
export function readFlags(
  words: readonly string[],
  table: FlagTable,
): FlagReading | { readonly problem: string } {
  const found = new Map<string, string[]>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      rest.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      rest.push(word);
      continue;
    }
    const [, flag = word, joined] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const kind = Object.hasOwn(table, flag) ? table[flag] : undefined;
    // Only the flag is repeated, not what was joined to it: it may be a secret.
    if (kind === undefined) return { problem: `takes no ${JSON.stringify(flag)}` };
    if (kind === "switch" && joined !== undefined) return { problem: `takes ${flag} without a value` };
    const value = kind === "switch" ? "" : (joined ?? valueAt(words, ++at));
    if (value === undefined) return { problem: `needs a value after ${flag}` };
    found.set(flag, [...(found.get(flag) ?? []), value]);
  }
  return {
    has: (flag) => found.has(flag),
    value: (flag) => found.get(flag)?.at(-1),
    list: (flag) => found.get(flag) ?? [],
    rest,
  };
}

function valueAt(words: readonly string[], at: number): string | undefined {
  const word = words[at];
  return word === undefined || word.startsWith("--") || word === "" ? undefined : word;
}

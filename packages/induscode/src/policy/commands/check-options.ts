import type { ShellWord } from "./shell-words.ts";

/** The options of a program that only read. Every other option is refused, even an abbreviated one. */
export interface OptionTable {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /** Letters of short options with a value, in the same word or the next. */
  readonly values?: string;
  /** Letters are not grouped: each is a separate word. */
  readonly alone?: true;
  /** An option with a value must be a separate word, with its value in the next word. */
  readonly valuesAlone?: true;
  /** Letters of short options whose value, if any, is in the same word. */
  readonly optional?: string;
  /** Long options, separated by blanks: `name` has no value, `name=` has one, `name=?` may have one after `=`. */
  readonly long?: string;
  /** A number is an option, as in `head -20`. */
  readonly count?: boolean;
  /** The maximum number of operands. Default: no limit. */
  readonly operands?: number | undefined;
}

/** The words of a command as options and operands. `problem` names the first word that is not in the table. */
export interface SortedWords {
  readonly problem?: string | undefined;
  readonly operands: readonly ShellWord[];
  /** The names of the options: letters and long names. */
  readonly options: ReadonlySet<string>;
  /** The values of the options, each with the name of its option. */
  readonly values: readonly { readonly option: string; readonly value: string }[];
}

/** Sorts the words after the name of a command into options and operands. */
export function checkOptions(words: readonly ShellWord[], table: OptionTable): SortedWords {
  const sorter = new Sorter(words, table);
  return sorter.sort();
}

const longNames = new WeakMap<OptionTable, ReadonlyMap<string, string>>();

function longNamesOf(table: OptionTable): ReadonlyMap<string, string> {
  let names = longNames.get(table);
  if (!names) {
    const rows = (table.long ?? "").split(" ").filter((row) => row !== "");
    names = new Map(rows.map((row) => [row.replace(/=\??$/, ""), /=\??$/.exec(row)?.[0] ?? ""]));
    longNames.set(table, names);
  }
  return names;
}

class Sorter {
  readonly #words: readonly ShellWord[];
  readonly #table: OptionTable;
  readonly #operands: ShellWord[] = [];
  readonly #options = new Set<string>();
  readonly #values: { option: string; value: string }[] = [];
  #at = 0;
  #problem: string | undefined;

  constructor(words: readonly ShellWord[], table: OptionTable) {
    this.#words = words;
    this.#table = table;
  }

  sort(): SortedWords {
    let isOptions = true;
    for (; this.#at < this.#words.length && this.#problem === undefined; this.#at += 1) {
      const word = this.#words[this.#at] as ShellWord;
      if (isOptions && word.text === "--") isOptions = false;
      else if (isOptions && word.text.startsWith("--")) this.#long(word.text.slice(2));
      else if (isOptions && word.text.startsWith("-") && word.text !== "-") this.#short(word.text.slice(1));
      else this.#operands.push(word);
    }
    const limit = this.#table.operands;
    // A glob may expand to any number of operands.
    const isTooMany =
      limit !== undefined &&
      (this.#operands.length > limit || this.#words.some(({ globAt }) => globAt !== undefined));
    const problem =
      this.#problem ?? (isTooMany ? `it has more than ${limit} operand(s), or a glob` : undefined);
    return { operands: this.#operands, options: this.#options, values: this.#values, problem };
  }

  #long(text: string): void {
    const [name = "", ...rest] = text.split("=");
    const value = rest.length > 0 ? rest.join("=") : undefined;
    const kind = longNamesOf(this.#table).get(name);
    if (kind === undefined) return this.#refuse(`--${name}`);
    if (kind === "" && value !== undefined) return this.#refuse(`--${text}`);
    this.#options.add(name);
    if (value !== undefined) this.#values.push({ option: name, value });
    else if (kind === "=") this.#nextValue(name);
  }

  #short(letters: string): void {
    if (this.#table.count && /^\d+$/.test(letters)) return;
    if (this.#table.alone && letters.length > 1) return this.#refuse(`-${letters}`);
    for (let index = 0; index < letters.length; index += 1) {
      const letter = letters[index] as string;
      const rest = letters.slice(index + 1);
      if (this.#table.values?.includes(letter)) {
        if (this.#table.valuesAlone && letters.length > 1) return this.#refuse(`-${letters}`);
        return this.#shortValue(letter, rest);
      }
      if (this.#table.optional?.includes(letter)) {
        this.#options.add(letter);
        return void this.#values.push({ option: letter, value: rest });
      }
      if (!this.#table.flags?.includes(letter)) return this.#refuse(`-${letter}`);
      this.#options.add(letter);
    }
  }

  #shortValue(letter: string, rest: string): void {
    this.#options.add(letter);
    if (rest === "") this.#nextValue(letter);
    else this.#values.push({ option: letter, value: rest });
  }

  /** A value that looks like an option is refused: another version of the program may take it for one. */
  #nextValue(option: string): void {
    this.#at += 1;
    const word = this.#words[this.#at];
    const value = word?.text;
    // A glob may expand to several words, and only the first would be the value.
    if (value === undefined || word?.globAt !== undefined)
      this.#problem = `the option ${option} has no value, or a glob`;
    else if (value.startsWith("-") && !/^-\d*$/.test(value)) this.#refuse(value);
    else this.#values.push({ option, value });
  }

  #refuse(option: string): void {
    this.#problem = `the option ${option} is not known to only read`;
  }
}

/** What a flag takes: nothing, one text, one number, or texts separated by commas, which add up if it is repeated. */
export type FlagKind = "boolean" | "string" | "number" | "list";

/** The heading in the help for a flag of the main table. */
export type FlagGroup = "Output" | "Model" | "Context" | "Tools" | "Meta";

/** One row of the main table. */
export interface FlagSpec {
  /** With its dashes, e.g. `--mcp`. */
  readonly name: string;
  /** Other spellings, e.g. `-h`. */
  readonly aliases: readonly string[];
  readonly kind: FlagKind;
  readonly group: FlagGroup;
  readonly describe: string;
}

/** A flag as the parser and the help need it. A row of the main table is one too. */
export interface Flag extends Omit<FlagSpec, "group"> {
  /** The placeholder for the value in the help. Every kind but `boolean` has one. */
  readonly value?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** The values that a flag without `choices` takes. Default: any text. */
  readonly accepts?: ValueRule;
  /** Flags that people try instead of this one, because other programs have them. */
  readonly triedAs?: readonly string[];
  /** Every value counts, not only the last. Unlike in a list, commas do not separate values. */
  readonly repeats?: boolean;
  /** Flags that cannot be given together with this one. */
  readonly excludes?: readonly string[];
}

export interface ValueRule {
  /** Follows "takes", e.g. `a whole number`. */
  readonly describe: string;
  /** Checks each value of a list by itself. */
  isValid(text: string): boolean;
  /** Names for a suggestion. */
  readonly known?: readonly string[];
}

/** A flag with its placeholder, e.g. `--mcp FILE`. */
export function flagForm({ name, value }: Pick<Flag, "name" | "value">): string {
  return value === undefined ? name : `${name} ${value}`;
}

/** All spellings of a flag. */
export function spellings({ name, aliases }: Pick<Flag, "name" | "aliases">): readonly string[] {
  return [name, ...aliases];
}

/** An unknown word and the known ones, for a suggestion. */
interface UnknownWord {
  readonly word: string;
  readonly known: readonly string[];
}

/** Why a command line is wrong, as a clause without a full stop. */
export interface UsageProblem {
  readonly problem: string;
  readonly unknown?: UnknownWord;
  /** The way out, instead of a suggestion or the help. */
  readonly hint?: string;
  /** The first word of a line without a command, in case it is a misspelled one. */
  readonly firstWord?: string | undefined;
  /** The words of the line that was probably meant, without `indus`. */
  readonly corrected?: readonly string[];
  /** The command, or family of commands, whose help shows the right usage. Absent: the whole help. */
  readonly topic?: string;
}

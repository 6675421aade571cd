/** A word that the tables do not know, and those they know at that place: for a suggestion. */
interface UnknownWord {
  readonly word: string;
  readonly known: readonly string[];
}

/** Why a command line cannot be carried out, as half a line without a full stop. */
export interface UsageProblem {
  readonly problem: string;
  readonly unknown?: UnknownWord;
  /** The command, or family of commands, whose help shows the right usage. Absent: the help of everything does. */
  readonly topic?: string;
}

/** What a tool may ask the side that called it. */
export type QuestionMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** One question, in the protocol's own words, so that it can be relayed without being understood. */
export interface Question {
  readonly method: QuestionMethod;
  readonly params?: { readonly [member: string]: unknown };
}

/** A batch of questions by the asker's own keys. */
export interface Questions {
  readonly [key: string]: Question;
}

/** The answers under the same keys, each the protocol's result for that question's method. */
export interface Answers {
  readonly [key: string]: unknown;
}

/** The questions a tool may ask its caller. */
export type QuestionMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** One question in MCP's own format, so it can be relayed without being parsed. */
export interface Question {
  readonly method: QuestionMethod;
  readonly params?: { readonly [member: string]: unknown };
}

/** A batch of questions. The asker chooses the keys. */
export interface Questions {
  readonly [key: string]: Question;
}

/** The answers under the same keys. Each is the MCP result for the question's method. */
export interface Answers {
  readonly [key: string]: unknown;
}

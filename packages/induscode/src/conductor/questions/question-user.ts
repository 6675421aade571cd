import type { JsonSchema, ModelRequest } from "indusagi/llm";

/** A server asks the user to fill in a form. All text is the server's: escape it before printing it. */
export interface FormQuestion {
  readonly message: string;
  /** An object whose members are strings, numbers, booleans and lists of choices. */
  readonly schema: JsonSchema;
}

/** A server asks the user to visit a URL. */
export interface UrlQuestion {
  readonly message: string;
  readonly url: URL;
}

/** A server wants an answer from the session's model. */
export interface SamplingQuestion {
  readonly model: string;
  readonly request: ModelRequest;
}

/** `cancel`: the user made no decision. */
export type FormAnswer =
  | { readonly action: "accept"; readonly content: { readonly [name: string]: unknown } }
  | { readonly action: "decline" | "cancel" };

/** How a front end lets its user answer servers' questions. Each rejects when the signal aborts. */
export interface QuestionUser {
  fillForm(question: FormQuestion, signal?: AbortSignal): Promise<FormAnswer>;
  /** Asks for consent first, and accepts when the URL was opened or shown. */
  visitUrl(question: UrlQuestion, signal?: AbortSignal): Promise<FormAnswer["action"]>;
  approveSampling(question: SamplingQuestion, signal?: AbortSignal): Promise<boolean>;
}

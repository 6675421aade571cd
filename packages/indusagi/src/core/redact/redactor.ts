import { replaceForms, secretForms, type TextCut } from "./known-secrets.ts";
import { redactShapes } from "./redact-text.ts";
import { redactValue } from "./redact-value.ts";

/** Tokens are replaced by new ones again and again. */
const MAX_ADDED = 4;

/** Removes the secrets of one server from texts, values and errors about it. */
export class Redactor {
  #secrets: readonly string[];
  #added: readonly string[] = [];
  #forms: readonly string[] = [];

  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets;
    this.#collectForms();
  }

  /** Another secret, such as a token that was fetched later. The last few are remembered. */
  add(secret: string): void {
    if (this.#added.includes(secret)) return;
    this.#added = [...this.#added, secret].slice(-MAX_ADDED);
    this.#collectForms();
  }

  /** More secrets of the configuration, such as the output of a command. They are never forgotten. */
  keep(secrets: readonly string[]): void {
    this.#secrets = [...this.#secrets, ...secrets];
    this.#collectForms();
  }

  #collectForms(): void {
    this.#forms = [...new Set([...this.#secrets, ...this.#added].flatMap(secretForms))];
  }

  /** A message of ours or of a server: without the secrets, and without texts that look like secrets. */
  text(text: string, cut?: TextCut): string {
    return redactShapes(this.known(text, cut));
  }

  /** Without the secrets only: what merely looks like one stays, so that data keeps its meaning. */
  known(text: string, cut?: TextCut): string {
    return replaceForms(text, this.#forms, cut);
  }

  /** A value without the secrets; of errors also the messages of all causes. The same value if it holds none. */
  value<Value>(value: Value): Value {
    return redactValue(value, this);
  }
}

import { REDACTED, replaceForms, secretForms, type TextCut } from "./known-secrets.ts";
import { redactShapes } from "./redact-text.ts";

/** Tokens get rotated, so only the latest are kept. */
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

  /** Adds a secret, such as a token fetched later. Only the last few are remembered. */
  add(secret: string): void {
    if (this.#added.includes(secret)) return;
    this.#added = [...this.#added, secret].slice(-MAX_ADDED);
    this.#collectForms();
  }

  /** Adds secrets of the configuration, such as a command's output. They are never forgotten. */
  keep(secrets: readonly string[]): void {
    this.#secrets = [...this.#secrets, ...secrets];
    this.#collectForms();
  }

  #collectForms(): void {
    this.#forms = [...new Set([...this.#secrets, ...this.#added].flatMap(secretForms))];
  }

  /** For messages: replaces the secrets and anything that looks like one. */
  text(text: string, cut?: TextCut): string {
    return redactShapes(this.known(text, cut));
  }

  /** For data: replaces only the known secrets; what merely looks like one stays. */
  known(text: string, cut?: TextCut): string {
    return replaceForms(text, this.#forms, cut);
  }

  /** Replaces the secrets in any value, including the messages of an error and all its causes. Returns the same value if it holds none. */
  value<Value>(value: Value): Value {
    return new ValueWalk(this).value(value, 0) as Value;
  }
}

/** Deeper values are replaced without being searched. */
const MAX_DEPTH = 64;

/**
 * Redacts one value: returns it unchanged if it holds no secret, otherwise a copy. Looks into strings, lists, plain objects
 * and errors with their causes; a copied error keeps its class.
 */
class ValueWalk {
  readonly #redactor: Redactor;
  /** The result for each object. One that is met again while it is being read is a cycle. */
  readonly #done = new Map<object, unknown>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  value(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#redactor.known(value);
    if (typeof value !== "object" || value === null) return value;
    if (this.#done.has(value)) return this.#done.get(value);
    if (depth > MAX_DEPTH) return REDACTED;
    this.#done.set(value, "[circular]");
    const copy = this.#object(value, depth + 1);
    this.#done.set(value, copy);
    return copy;
  }

  #object(value: object, depth: number): unknown {
    if (value instanceof Error) return this.#error(value, depth);
    if (Array.isArray(value)) {
      const items = value.map((item) => this.value(item, depth));
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return value;
    const before = Object.entries(value);
    const after = before.map(
      ([name, member]) => [this.#redactor.known(name), this.value(member, depth)] as const,
    );
    const isSame = after.every(
      ([name, member], at) => name === before[at]?.[0] && member === before[at]?.[1],
    );
    return isSame ? value : Object.fromEntries(after);
  }

  #error(error: Error, depth: number): Error {
    const message = this.#redactor.text(error.message);
    const stack = this.#redactor.known((error.stack ?? "").replace(error.message, () => message));
    const members = Reflect.ownKeys(error).flatMap((name) => {
      const member = Object.getOwnPropertyDescriptor(error, name);
      if (name === "message" || name === "stack" || !member || !("value" in member)) return [];
      return [{ name, member, value: this.value(member.value, depth) }];
    });
    const isSame =
      message === error.message &&
      stack === (error.stack ?? "") &&
      members.every(({ member, value }) => member.value === value);
    if (isSame) return error;
    const copy = new Error(message);
    // A `DOMException` prototype does not work on another object; all other errors keep theirs.
    if (error instanceof DOMException) copy.name = error.name;
    else Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object);
    for (const { name, member, value } of members) Object.defineProperty(copy, name, { ...member, value });
    return Object.defineProperty(copy, "stack", { value: stack, configurable: true, writable: true });
  }
}

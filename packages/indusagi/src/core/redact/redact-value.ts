import { REDACTED } from "./known-secrets.ts";

/** Deeper values are not searched but replaced. */
const MAX_DEPTH = 64;

/** How texts are redacted. */
export interface TextRedaction {
  /** For messages. */
  text(text: string): string;
  /** For data: only removes secrets that are known. */
  known(text: string): string;
}

/**
 * The value itself if it holds no secret; otherwise a copy without. Looks into strings, lists, plain objects and errors
 * with their causes; a copied error keeps its class.
 */
export function redactValue<Value>(value: Value, redaction: TextRedaction): Value {
  return new Walk(redaction).value(value, 0) as Value;
}

class Walk {
  readonly #redaction: TextRedaction;
  /** What became of each object. While an object is being read, it stands for a cycle. */
  readonly #done = new Map<object, unknown>();

  constructor(redaction: TextRedaction) {
    this.#redaction = redaction;
  }

  value(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#redaction.known(value);
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
      ([name, member]) => [this.#redaction.known(name), this.value(member, depth)] as const,
    );
    const isSame = after.every(
      ([name, member], at) => name === before[at]?.[0] && member === before[at]?.[1],
    );
    return isSame ? value : Object.fromEntries(after);
  }

  #error(error: Error, depth: number): Error {
    const message = this.#redaction.text(error.message);
    const stack = this.#redaction.known((error.stack ?? "").replace(error.message, () => message));
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
    // The class of a `DOMException` does not work on another object; all others keep theirs.
    if (error instanceof DOMException) copy.name = error.name;
    else Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object);
    for (const { name, member, value } of members) Object.defineProperty(copy, name, { ...member, value });
    return Object.defineProperty(copy, "stack", { value: stack, configurable: true, writable: true });
  }
}

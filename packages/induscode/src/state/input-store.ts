import { join } from "node:path";
import { readPrivateText, replaceFileSync } from "indusagi/core";
import { StateError } from "./state-error.ts";

/** The answers to `${input:…}`: asked for once, and kept in a file that only the owner can read. */
export interface InputStore {
  /** The value of each id. */
  values(): { readonly [id: string]: string };
  /** The id under which the answer to a question of a file is kept. Undefined if it was not answered yet. */
  idOf(question: InputOrigin): string | undefined;
  /**
   * Keeps an answer and returns its id: the one of the question, or with a number behind it if another file has a question
   * with the same id. Its answer must not reach a server of this file.
   */
  keep(question: InputOrigin, value: string): string;
}

/** A question and the file that asks it. */
interface InputOrigin {
  readonly file: string;
  readonly id: string;
}

interface Answer extends InputOrigin {
  readonly value: string;
}

const FORMAT = 1;

/** Nothing is created before the first answer. */
export function openInputStore(root: string): InputStore {
  return new InputFile(join(root, "inputs.json"));
}

class InputFile implements InputStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  values(): { readonly [id: string]: string } {
    return Object.fromEntries([...this.#read()].map(([id, { value }]) => [id, value]));
  }

  idOf({ file, id }: InputOrigin): string | undefined {
    return [...this.#read()].find(([, answer]) => answer.file === file && answer.id === id)?.[0];
  }

  keep({ file, id }: InputOrigin, value: string): string {
    const answers = this.#read();
    const kept = this.idOf({ file, id }) ?? freeId(id, answers);
    const all = Object.fromEntries([...answers, [kept, { file, id, value }]]);
    const text = `${JSON.stringify({ format: FORMAT, inputs: all })}\n`;
    replaceFileSync({ path: this.#path, content: Buffer.from(text), mode: 0o600 });
    return kept;
  }

  /** Throws if the file is there and cannot be used: answers must not get lost, nor come from somebody else. */
  #read(): ReadonlyMap<string, Answer> {
    const reading = readPrivateText(this.#path);
    if ("problem" in reading) {
      if (reading.isAbsent) return new Map();
      throw this.#unusable(reading.problem);
    }
    const answers = parseAnswers(reading.text);
    if (!answers) throw this.#unusable("is damaged, or of a newer version; remove it and import again");
    return answers;
  }

  #unusable(why: string): StateError {
    return new StateError("unavailable", `${this.#path} ${why}`);
  }
}

function parseAnswers(text: string): ReadonlyMap<string, Answer> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { format, inputs } = value as { readonly format?: unknown; readonly inputs?: unknown };
  if (format !== FORMAT || typeof inputs !== "object" || inputs === null) return undefined;
  const entries = Object.entries(inputs as { readonly [id: string]: unknown });
  return entries.every((entry): entry is [string, Answer] => isAnswer(entry[1]))
    ? new Map(entries)
    : undefined;
}

function isAnswer(value: unknown): value is Answer {
  if (typeof value !== "object" || value === null) return false;
  const { file, id, value: text } = value as { readonly [member: string]: unknown };
  return typeof file === "string" && typeof id === "string" && typeof text === "string";
}

function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(id)) return id;
  for (let number = 2; ; number++) if (!taken.has(`${id}-${number}`)) return `${id}-${number}`;
}

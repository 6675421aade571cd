import { join } from "node:path";
import { isRecord } from "indusagi/core";
import { openJsonFile, type StoreReading, versionedJson } from "./json-file.ts";
import { StateError } from "./state-error.ts";

/** The answers to `${input:…}`: asked for once, and stored in a file that only the owner can read. */
export interface InputStore {
  /** The value of each id. */
  values(): { readonly [id: string]: string };
  /** The id that the answer to a file's question is stored under. Undefined if it was not answered yet. */
  idOf(question: InputOrigin): string | undefined;
  /**
   * Stores an answer and returns its id: the id of the question, with a number if another file has a question with the same
   * id, whose answer must not reach a server of this file. Several processes may store answers at the same time.
   */
  keep(question: InputOrigin, value: string): Promise<string>;
}

/** A question and the file that asks it. */
interface InputOrigin {
  readonly file: string;
  readonly id: string;
}

interface Answer extends InputOrigin {
  readonly value: string;
}

type Answers = ReadonlyMap<string, Answer>;

/** Nothing is created before the first answer. */
export function openInputStore(root: string): InputStore {
  const file = openJsonFile(join(root, "inputs.json"), ANSWERS);
  /** Throws if the file exists but cannot be used: answers must not get lost, nor come from another user. */
  const usable = (reading: StoreReading<Answers>): Answers => {
    if ("value" in reading) return reading.value ?? new Map();
    throw new StateError("unavailable", `${file.path} ${reading.problem}`);
  };
  const idIn = (answers: Answers, question: InputOrigin): string | undefined =>
    [...answers].find(([, { file, id }]) => file === question.file && id === question.id)?.[0];
  return {
    values: () => Object.fromEntries([...usable(file.read())].map(([id, { value }]) => [id, value])),
    idOf: (question) => idIn(usable(file.read()), question),
    keep: async (question, value) => {
      const { file: from, id } = question;
      let kept = id;
      await file.update((now) => {
        const answers = usable(now);
        kept = idIn(answers, question) ?? freeId(id, answers);
        return new Map([...answers, [kept, { file: from, id, value }]]);
      });
      return kept;
    },
  };
}

const ANSWERS = versionedJson<Answers>({
  format: 1,
  parse: ({ inputs }) => {
    const entries = isRecord(inputs) ? Object.entries(inputs) : undefined;
    return entries?.every(hasAnswer) ? new Map(entries) : undefined;
  },
  members: (answers) => ({ inputs: Object.fromEntries(answers) }),
  damage: "is damaged, or of a newer version; remove it and import again",
});

function hasAnswer(entry: [string, unknown]): entry is [string, Answer] {
  return isAnswer(entry[1]);
}

function isAnswer(value: unknown): value is Answer {
  if (!isRecord(value)) return false;
  const { file, id, value: text } = value;
  return typeof file === "string" && typeof id === "string" && typeof text === "string";
}

function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(id)) return id;
  for (let number = 2; ; number++) if (!taken.has(`${id}-${number}`)) return `${id}-${number}`;
}

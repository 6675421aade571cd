import { basename, dirname } from "node:path";
import {
  CoreError,
  describeError,
  errorCode,
  KeyedQueue,
  replaceFileSync,
  withFileLock,
} from "indusagi/core";
import { DeckFault, type MemoryStore } from "../contract/index.ts";

/** Notes that are lost when the session ends. Holds at most 64 KiB. */
export class InMemoryStore implements MemoryStore {
  #notes = "";

  async read(): Promise<string> {
    return this.#notes;
  }

  async replace(content: string): Promise<void> {
    this.#notes = withinLimit(content);
  }

  async append(content: string): Promise<void> {
    this.#notes = appended(this.#notes, content);
  }
}

/** The maximum size of a session's notes, as UTF-8. */
export const MAX_MEMORY_BYTES: number = 64 * 1024;

/** Returns the notes, or refuses them if they are too long. */
function withinLimit(notes: string): string {
  const bytes = Buffer.byteLength(notes);
  if (bytes <= MAX_MEMORY_BYTES) return notes;
  throw new DeckFault(
    "backend",
    `the notes would have ${bytes} bytes, and at most ${MAX_MEMORY_BYTES} are kept; nothing was changed: ` +
      "read the notes and replace them with shorter ones",
  );
}

/** The notes with a new one at the end, starting on a new line. */
function appended(notes: string, added: string): string {
  return withinLimit(notes === "" || notes.endsWith("\n") ? `${notes}${added}` : `${notes}\n${added}`);
}

export interface FileMemoryOptions {
  /** How long a change waits for another process that is changing the file. Default 5 s. */
  readonly waitMs?: number;
}

/**
 * Notes in a file that only its owner can read, at most 64 KiB. Changes replace the file atomically and are serialized across
 * processes and stores, so no appended note is lost.
 */
export function createFileMemory(path: string, { waitMs = 5_000 }: FileMemoryOptions = {}): MemoryStore {
  const change = (next: () => string): Promise<void> =>
    inTurn(path, waitMs, () => writeNotes(path, withinLimit(next())));
  return {
    read: async () => readNotes(path),
    replace: (content) => change(() => content),
    append: (content) => change(() => appended(readNotes(path), content)),
  };
}

/** Stores of this process wait for each other here instead of polling lock files. */
const queue = new KeyedQueue();

function inTurn(path: string, waitMs: number, step: () => void): Promise<void> {
  const folder = dirname(path);
  return queue.run(path, async () => {
    try {
      process.getBuiltinModule("node:fs").mkdirSync(folder, { recursive: true, mode: 0o700 });
      await withFileLock({ folder, name: basename(path) }, { waitMs }, step);
    } catch (thrown) {
      throw CoreError.is(thrown) ? thrown : failure(path, "changed", thrown);
    }
  });
}

function writeNotes(path: string, notes: string): void {
  replaceFileSync({ path, content: Buffer.from(notes), mode: 0o600 });
}

/** A missing file is empty. A link is not followed, and a pipe does not block. */
function readNotes(path: string): string {
  const fs = process.getBuiltinModule("node:fs");
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants; // Windows lacks the last two; `|` takes undefined as 0.
  let file: number | undefined;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const found = fs.fstatSync(file);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > MAX_MEMORY_BYTES)
      throw new Error(`it has ${found.size} bytes, and at most ${MAX_MEMORY_BYTES} are used; shorten it`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file));
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return "";
    throw failure(path, "read", thrown);
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

function failure(path: string, doing: "read" | "changed", cause: unknown): DeckFault {
  return new DeckFault("backend", `the notes in ${path} could not be ${doing}: ${describeError(cause)}`, {
    cause,
  });
}

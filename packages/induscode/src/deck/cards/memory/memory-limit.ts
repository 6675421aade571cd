import { DeckFault } from "../../contract/index.ts";

/** The maximum size of a session's notes, as UTF-8. */
export const MAX_MEMORY_BYTES: number = 64 * 1024;

/** Returns the notes, or refuses them if they are too long. */
export function withinLimit(notes: string): string {
  const bytes = Buffer.byteLength(notes);
  if (bytes <= MAX_MEMORY_BYTES) return notes;
  throw new DeckFault(
    "backend",
    `the notes would have ${bytes} bytes, and at most ${MAX_MEMORY_BYTES} are kept; nothing was changed: ` +
      "read the notes and replace them with shorter ones",
  );
}

/** The notes with a new one at the end, starting on a new line. */
export function appended(notes: string, added: string): string {
  return withinLimit(notes === "" || notes.endsWith("\n") ? `${notes}${added}` : `${notes}\n${added}`);
}

import { describeError } from "indusagi/core";
import { blockText, type TranscriptEntry } from "indusagi/runtime";
import { type KnownSession, listSessions } from "./find-session.ts";
import { readTranscript } from "./read-transcript.ts";
import { textOf } from "./session-state.ts";

/** A session on disk, for people who look for it. Its texts come from users, models and servers: escape them. */
export interface SavedSession extends KnownSession {
  /** When it began, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The folder it works in. */
  readonly cwd: string;
  /** `provider/name`. */
  readonly model?: string | undefined;
  readonly turns: number;
  /** The first words of its first message, in one line. */
  readonly title: string;
  /** Where the searched words are. */
  readonly match?: string | undefined;
  /** Why its transcript cannot be read. */
  readonly problem?: string | undefined;
}

export interface SavedSessionOptions {
  /** Only sessions whose conversation has all these words, in any order and whatever their case. */
  readonly words?: readonly string[];
  /** How many of the latest ones are read: a transcript may be long. Default: all. */
  readonly most?: number;
}

const MAX_TITLE_CHARS = 200;

/** The sessions in a folder, latest first. */
export function savedSessions(
  folder: string,
  { words = [], most = Infinity }: SavedSessionOptions = {},
): readonly SavedSession[] {
  const latest = listSessions(folder).slice(0, most);
  return latest.flatMap((known): SavedSession[] => {
    try {
      const { state } = readTranscript(known.folder);
      const { at, cwd, model, entries, turns } = state;
      const match = words.length > 0 ? placeOf(words, entries) : undefined;
      if (words.length > 0 && match === undefined) return [];
      const first = entries.find((entry) => entry.kind === "user");
      const title = oneLine(first ? textOf(first.content) : "").slice(0, MAX_TITLE_CHARS);
      return [{ ...known, at, cwd, model, turns: turns.length, title, match }];
    } catch (thrown) {
      if (words.length > 0) return [];
      const problem = describeError(thrown);
      return [{ ...known, at: known.lastAt, cwd: "", turns: 0, title: "", problem }];
    }
  });
}

/** How much is shown on each side of a found word. */
const AROUND_CHARS = 40;

/** The text around the words, from the entry with most of them. Undefined if a word is nowhere. */
function placeOf(words: readonly string[], entries: readonly TranscriptEntry[]): string | undefined {
  const wanted = words.map((word) => word.toLowerCase());
  const missing = new Set(wanted);
  let best = { count: 0, text: "", at: 0 };
  for (const text of entries.flatMap(textsOf).map(oneLine)) {
    const lower = text.toLowerCase();
    const places = wanted.flatMap((word) => {
      const at = lower.indexOf(word);
      if (at !== -1) missing.delete(word);
      return at === -1 ? [] : [at];
    });
    if (places.length > best.count) best = { count: places.length, text, at: Math.min(...places) };
  }
  if (missing.size > 0) return undefined;
  const start = Math.max(0, best.at - AROUND_CHARS);
  const end = best.at + 2 * AROUND_CHARS;
  return `${start > 0 ? "…" : ""}${best.text.slice(start, end)}${end < best.text.length ? "…" : ""}`;
}

function textsOf(entry: TranscriptEntry): readonly string[] {
  if (entry.kind === "user") return [textOf(entry.content)];
  if (entry.kind === "tool") return entry.content.flatMap((block) => blockText(block) ?? []);
  if (entry.kind === "compaction") return [];
  return entry.content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

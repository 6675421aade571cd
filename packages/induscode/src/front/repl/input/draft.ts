import { type Key, keyName } from "./key.ts";

/** The text being typed, and where the next character goes. */
export interface Draft {
  readonly text: string;
  /** In UTF-16 units, never within a character. */
  readonly cursor: number;
}

export const EMPTY_DRAFT: Draft = { text: "", cursor: 0 };

/** The draft after a key; the same object if the key does not edit. */
export function edited(draft: Draft, key: Key): Draft {
  if (key.text !== "") return inserted(draft, key.text);
  const action = ACTIONS[keyName(key)];
  return action ? action(draft) : draft;
}

type Action = (draft: Draft) => Draft;

export function inserted({ text, cursor }: Draft, more: string): Draft {
  return { text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length };
}

const left: Action = (draft) => ({ ...draft, cursor: charBefore(draft) });
const right: Action = (draft) => ({ ...draft, cursor: charAfter(draft) });
const wordLeft: Action = (draft) => ({ ...draft, cursor: wordBefore(draft) });
const wordRight: Action = (draft) => ({ ...draft, cursor: wordAfter(draft) });
const toLineStart: Action = (draft) => ({ ...draft, cursor: lineStart(draft) });
const toLineEnd: Action = (draft) => ({ ...draft, cursor: lineEnd(draft) });
const eraseChar: Action = (draft) => without(draft, charBefore(draft), draft.cursor);
const deleteChar: Action = (draft) => without(draft, draft.cursor, charAfter(draft));
const eraseWord: Action = (draft) => without(draft, wordBefore(draft), draft.cursor);
const deleteWord: Action = (draft) => without(draft, draft.cursor, wordAfter(draft));
const newLine: Action = (draft) => inserted(draft, "\n");

/** Emacs and readline keys, and those of keyboards. */
const ACTIONS: { readonly [key: string]: Action } = {
  left,
  "ctrl-b": left,
  right,
  "ctrl-f": right,
  "ctrl-left": wordLeft,
  "alt-left": wordLeft,
  "alt-b": wordLeft,
  "ctrl-right": wordRight,
  "alt-right": wordRight,
  "alt-f": wordRight,
  home: toLineStart,
  "ctrl-a": toLineStart,
  end: toLineEnd,
  "ctrl-e": toLineEnd,
  backspace: eraseChar,
  "ctrl-h": eraseChar,
  delete: deleteChar,
  "ctrl-d": deleteChar,
  "ctrl-w": eraseWord,
  "alt-backspace": eraseWord,
  "alt-d": deleteWord,
  "ctrl-u": (draft) => without(draft, lineStart(draft), draft.cursor),
  "ctrl-k": (draft) => without(draft, draft.cursor, lineEnd(draft)),
  "alt-return": newLine,
  "alt-enter": newLine,
  enter: newLine, // Ctrl-J
};

/** Moves the cursor one line up. Undefined if it is in the first line. */
export function lineUp(draft: Draft): Draft | undefined {
  const start = lineStart(draft);
  if (start === 0) return undefined;
  const above = lineStart({ ...draft, cursor: start - 1 });
  return { ...draft, cursor: onCharacter(draft.text, Math.min(above + draft.cursor - start, start - 1)) };
}

/** Moves the cursor one line down. Undefined if it is in the last line. */
export function lineDown(draft: Draft): Draft | undefined {
  const end = lineEnd(draft);
  if (end === draft.text.length) return undefined;
  const next = { ...draft, cursor: end + 1 };
  const cursor = Math.min(end + 1 + draft.cursor - lineStart(draft), lineEnd(next));
  return { ...draft, cursor: onCharacter(draft.text, cursor) };
}

function without({ text }: Draft, from: number, to: number): Draft {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function lineStart({ text, cursor }: Draft): number {
  return text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** The longest grapheme; only this much text is segmented. */
const MAX_CHARACTER_UNITS = 64;

function charBefore({ text, cursor }: Draft): number {
  const before = [...segmenter.segment(text.slice(Math.max(0, cursor - MAX_CHARACTER_UNITS), cursor))];
  return cursor - (before.at(-1)?.segment.length ?? 0);
}

function charAfter({ text, cursor }: Draft): number {
  const [next] = segmenter.segment(text.slice(cursor, cursor + MAX_CHARACTER_UNITS));
  return cursor + (next?.segment.length ?? 0);
}

const WORD_CHARACTER = /^[\p{L}\p{N}_]$/u;

/** Steps backwards: a regular expression anchored only at the end would take quadratic time. */
function wordBefore({ text, cursor }: Draft): number {
  let at = cursor;
  for (const isWord of [false, true])
    while (at > 0) {
      const start = onCharacter(text, at - 1);
      if (WORD_CHARACTER.test(text.slice(start, at)) !== isWord) break;
      at = start;
    }
  return at;
}

function wordAfter({ text, cursor }: Draft): number {
  return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

/** Moves a position out of a surrogate pair. */
function onCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

import {
  createEndingFinder,
  type LineEnding,
  withLineEnding,
  withOnlyEnding,
} from "../file/text/line-endings.ts";
import { MATCH_STRATEGIES, type MatchStrategy, type Span } from "./match-strategies.ts";
import { type TextLine, textLines } from "./text-lines.ts";

export interface EditRequest {
  readonly text: string;
  readonly wanted: string;
  readonly replacement: string;
  readonly replaceAll: boolean;
}

/** A range of the text, and its replacement. */
export interface Change extends Span {
  readonly replacement: string;
}

/** The changes to make, or why there are none. */
export type EditPlan =
  | { readonly ok: true; readonly changes: readonly Change[]; readonly strategy: string }
  | { readonly ok: false; readonly why: "not_found" }
  | {
      readonly ok: false;
      readonly why: "ambiguous";
      /** The first matches, at most `MAX_COUNTED`. */
      readonly spans: readonly Span[];
      readonly strategy: string;
      /** Whether `replaceAll` would replace all of them. */
      readonly mayReplaceAll: boolean;
    }
  | { readonly ok: false; readonly why: "too_many" | "too_large" };

/** How many ambiguous matches are counted for the message. */
export const MAX_COUNTED = 1000;
/** How many matches can be replaced at once. */
export const MAX_REPLACED = 1_000_000;
/** Limits the result: a short request with `replaceAll` could otherwise fill the memory. */
const MAX_RESULT_CHARS = 128 * 1024 * 1024;
/** Longer texts are searched for exact matches only: comparing them line by line would need too much memory. */
export const MAX_TOLERANT_CHARS: number = 2 * 1024 * 1024;

/**
 * Finds the wanted text, with the strictest strategy first, and plans its replacement. A loose match counts only if it
 * is the only one.
 */
export function planEdit(request: EditRequest): EditPlan {
  const { text, wanted, replaceAll } = request;
  let known: readonly TextLine[] | undefined;
  const lines = (): readonly TextLine[] => (known ??= textLines(text));
  for (const strategy of MATCH_STRATEGIES) {
    if (!strategy.isExact && text.length > MAX_TOLERANT_CHARS) break;
    const skipOverlaps = replaceAll && strategy.isExact;
    const spans = take(
      strategy.find({ text, wanted, lines, skipOverlaps }),
      skipOverlaps ? MAX_REPLACED + 1 : MAX_COUNTED,
    );
    if (spans.length === 0) continue;
    if (spans.length > MAX_REPLACED) return { ok: false, why: "too_many" };
    if (spans.length > 1 && !skipOverlaps) {
      const { name, isExact } = strategy;
      return { ok: false, why: "ambiguous", spans, strategy: name, mayReplaceAll: isExact };
    }
    const changes = changesAt(request, spans, strategy);
    if (lengthAfter(text, changes) > MAX_RESULT_CHARS) return { ok: false, why: "too_large" };
    return { ok: true, changes, strategy: strategy.name };
  }
  return { ok: false, why: "not_found" };
}

/** Applies changes to a text and returns a range of the result, by default all of it. */
export function applyChanges(
  text: string,
  changes: readonly Change[],
  stretch: Span = { start: 0, end: text.length },
): string {
  const parts: string[] = [];
  let done = stretch.start;
  for (const { start, end, replacement } of changes) {
    parts.push(text.slice(done, start), replacement);
    done = end;
  }
  parts.push(text.slice(done, stretch.end));
  return parts.join("");
}

function lengthAfter(text: string, changes: readonly Change[]): number {
  return changes.reduce(
    (sum, { start, end, replacement }) => sum + replacement.length - (end - start),
    text.length,
  );
}

function take<Value>(values: Iterable<Value>, most: number): Value[] {
  const taken: Value[] = [];
  for (const value of values) {
    taken.push(value);
    if (taken.length >= most) break;
  }
  return taken;
}

function changesAt(request: EditRequest, spans: readonly Span[], strategy: MatchStrategy): Change[] {
  const { text, wanted, replacement } = request;
  const [first] = spans;
  // A strategy that adapts the replacement has exactly one match.
  const words = first
    ? (strategy.adapt?.(replacement, text.slice(first.start, first.end), wanted) ?? replacement)
    : "";
  const spelledAt = endingRule(request, words, strategy);
  return spans.map(({ start, end }) => ({ start, end, replacement: spelledAt(start) }));
}

/** Returns the replacement to write at an index, with the line endings of that place. */
function endingRule(
  { text, wanted }: EditRequest,
  words: string,
  strategy: MatchStrategy,
): (at: number) => string {
  const isExact = strategy.name === "exact";
  // The wanted text has carriage returns and matched exactly, so the edit is about line endings: do not change them.
  if ((isExact && wanted.includes("\r")) || !/[\r\n]/.test(words)) return () => words;
  const endingAt = createEndingFinder(text);
  // Made once per line ending: there may be a million matches.
  const spellings = new Map<LineEnding | undefined, string>();
  return (at) => {
    const ending = endingAt(at);
    const spelled = spellings.get(ending) ?? (isExact ? withLineEnding : withOnlyEnding)(words, ending);
    spellings.set(ending, spelled);
    return spelled;
  };
}

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

/** A stretch of the text, and what takes its place. */
export interface Change extends Span {
  readonly replacement: string;
}

/** What an edit comes to: the changes to make, or why there are none. */
export type EditPlan =
  | { readonly ok: true; readonly changes: readonly Change[]; readonly strategy: string }
  | { readonly ok: false; readonly why: "not_found" }
  | {
      readonly ok: false;
      readonly why: "ambiguous";
      /** The first places; there may be more when there are `MAX_COUNTED`. */
      readonly spans: readonly Span[];
      readonly strategy: string;
      /** Whether all these places could be replaced at once. */
      readonly mayReplaceAll: boolean;
    }
  | { readonly ok: false; readonly why: "too_many" | "too_large" };

/** More places than this are not counted to tell that one is not clear. */
export const MAX_COUNTED = 1000;
/** More places than this are not replaced at once: a program does that better. */
export const MAX_REPLACED = 1_000_000;
/** A longer text is not made: a few words of a request could otherwise fill the memory. */
const MAX_RESULT_CHARS = 128 * 1024 * 1024;
/** In longer texts only exact matches are sought: comparing their lines one by one would cost too much memory. */
export const MAX_TOLERANT_CHARS: number = 2 * 1024 * 1024;

/**
 * Finds the wanted text, strictly first, and plans its replacement. Looser ways of matching count only when they
 * lead to exactly one place.
 */
export function planEdit(request: EditRequest): EditPlan {
  const { text, wanted, replaceAll } = request;
  let known: readonly TextLine[] | undefined;
  const lines = (): readonly TextLine[] => (known ??= textLines(text));
  for (const strategy of MATCH_STRATEGIES) {
    if (!strategy.isExact && text.length > MAX_TOLERANT_CHARS) break;
    const apart = replaceAll && strategy.isExact;
    const spans = take(strategy.find({ text, wanted, lines, apart }), apart ? MAX_REPLACED + 1 : MAX_COUNTED);
    if (spans.length === 0) continue;
    if (spans.length > MAX_REPLACED) return { ok: false, why: "too_many" };
    if (spans.length > 1 && !apart) {
      const { name, isExact } = strategy;
      return { ok: false, why: "ambiguous", spans, strategy: name, mayReplaceAll: isExact };
    }
    const changes = changesAt(request, spans, strategy);
    if (lengthAfter(text, changes) > MAX_RESULT_CHARS) return { ok: false, why: "too_large" };
    return { ok: true, changes, strategy: strategy.name };
  }
  return { ok: false, why: "not_found" };
}

/** A stretch of a text, all of it by default, with the changes in it made. Everything else stays as it is. */
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
  // A way that adapts the replacement has led to one place only.
  const words = first
    ? (strategy.adapt?.(replacement, text.slice(first.start, first.end), wanted) ?? replacement)
    : "";
  const spelledAt = endingRule(request, words, strategy);
  return spans.map(({ start, end }) => ({ start, end, replacement: spelledAt(start) }));
}

/** How words are to be written at a place, where it comes to line endings. */
function endingRule(
  { text, wanted }: EditRequest,
  words: string,
  strategy: MatchStrategy,
): (at: number) => string {
  const isExact = strategy.name === "exact";
  // Exactly found with its own carriage returns, the wanted text is about line endings: nothing is to be guessed.
  if ((isExact && wanted.includes("\r")) || !/[\r\n]/.test(words)) return () => words;
  const endingAt = createEndingFinder(text);
  // Each spelling is made once and shared: there may be a million places.
  const spellings = new Map<LineEnding | undefined, string>();
  return (at) => {
    const ending = endingAt(at);
    const spelled = spellings.get(ending) ?? (isExact ? withLineEnding : withOnlyEnding)(words, ending);
    spellings.set(ending, spelled);
    return spelled;
  };
}

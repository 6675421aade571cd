import { lineEndingAt, withLineEnding } from "../file/line-endings.ts";
import { MATCH_STRATEGIES, type MatchStrategy, type Span } from "./match-strategies.ts";

export interface EditRequest {
  readonly text: string;
  readonly wanted: string;
  readonly replacement: string;
  readonly replaceAll: boolean;
}

/** What an edit comes to: the new text, or why there is none. */
export type EditPlan =
  | { readonly ok: true; readonly text: string; readonly spans: readonly Span[]; readonly strategy: string }
  | { readonly ok: false; readonly why: "not_found" }
  | { readonly ok: false; readonly why: "ambiguous"; readonly spans: readonly Span[]; readonly strategy: string };

/**
 * Finds the wanted text, strictly first, and replaces it. Looser ways of matching count only when they lead to
 * exactly one place. Everything outside the spans stays as it is, character for character.
 */
export function planEdit({ text, wanted, replacement, replaceAll }: EditRequest): EditPlan {
  for (const strategy of MATCH_STRATEGIES) {
    const spans = strategy.find(text, wanted);
    if (spans.length === 0) continue;
    const isClear = spans.length === 1 || (replaceAll && strategy.isExact);
    if (!isClear) return { ok: false, why: "ambiguous", spans, strategy: strategy.name };
    const pieces = { text, wanted, replacement };
    return { ok: true, text: replaceSpans(pieces, spans, strategy), spans, strategy: strategy.name };
  }
  return { ok: false, why: "not_found" };
}

function replaceSpans(
  { text, wanted, replacement }: Omit<EditRequest, "replaceAll">,
  spans: readonly Span[],
  strategy: MatchStrategy,
): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of spans) {
    const found = text.slice(start, end);
    const adapted = strategy.adapt?.(replacement, found, wanted) ?? replacement;
    parts.push(text.slice(done, start), withLineEnding(adapted, lineEndingAt(text, start)));
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

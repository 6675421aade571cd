import type { TranscriptEntry } from "../contract.ts";
import { conversationView, lastCompaction } from "./conversation-view.ts";
import { messageTokens } from "./message-tokens.ts";

/** The newest steps, whose answers stay complete. */
const WHOLE_STEPS = 2;
/** The share of the window that may be in use with previews alone. Above it, older turns are summarised too. */
const PREVIEWS_SHARE = 0.5;
/** How much is kept next to a summary. */
const KEPT_SHARE = 0.3;

export interface CompactionPlan {
  readonly previewsBefore: number;
  /** Everything before this position is to be summarised. */
  readonly summaryBefore?: number;
}

/**
 * How to shorten a conversation: older tool answers become previews; if that is not enough, older turns become a summary.
 * Undefined if nothing can be gained. Positions never move back, so the shortened start stays the same across requests.
 */
export function planCompaction(
  transcript: readonly TranscriptEntry[],
  windowTokens: number,
): CompactionPlan | undefined {
  const before = lastCompaction(transcript);
  const steps = positionsOf(transcript, ["assistant"]);
  const previewsBefore = Math.max(before?.previewsBefore ?? 0, steps.at(-WHOLE_STEPS) ?? 0);
  const tokensNow = messageTokens(conversationView(transcript));
  const shortened = { kind: "compaction" as const, ...before, previewsBefore };
  const tokens = messageTokens(conversationView([...transcript, shortened]));
  if (tokens <= windowTokens * PREVIEWS_SHARE) return tokens < tokensNow ? { previewsBefore } : undefined;
  const from = before?.summary?.before ?? 0;
  const summaryBefore = keptFrom(transcript, from, windowTokens * KEPT_SHARE);
  if (summaryBefore !== undefined) return { previewsBefore, summaryBefore };
  return tokens < tokensNow ? { previewsBefore } : undefined;
}

/** Where the kept part starts: as early as its size allows, at the last step at the latest. */
function keptFrom(
  transcript: readonly TranscriptEntry[],
  after: number,
  maxTokens: number,
): number | undefined {
  const starts = positionsOf(transcript, ["user", "assistant"]).filter((position) => position > after);
  let kept = starts.at(-1);
  let tokens = 0;
  let end = transcript.length;
  for (const position of starts.toReversed()) {
    tokens += messageTokens(conversationView(transcript.slice(position, end)));
    if (tokens > maxTokens) break;
    kept = position;
    end = position;
  }
  return kept;
}

function positionsOf(
  transcript: readonly TranscriptEntry[],
  kinds: readonly TranscriptEntry["kind"][],
): readonly number[] {
  return transcript.flatMap(({ kind }, position) => (kinds.includes(kind) ? [position] : []));
}

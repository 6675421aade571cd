import type { ToolCallPart } from "../../../llm/index.ts";
import type { AgentEndReason, TranscriptEntry } from "../contract.ts";
import { callsOf } from "./conversation-view.ts";

export type AgentAction =
  | { readonly kind: "ask" }
  | { readonly kind: "call"; readonly calls: readonly ToolCallPart[] }
  | { readonly kind: "end"; readonly reason: AgentEndReason };

/** What a turn does next. Only the transcript decides, so a turn can continue from any transcript. */
export function nextAction(
  transcript: readonly TranscriptEntry[],
  { steps, maxSteps }: { readonly steps: number; readonly maxSteps: number },
): AgentAction {
  const position = transcript.findLastIndex(({ kind }) => kind === "assistant" || kind === "user");
  const last = transcript[position];
  if (last?.kind !== "assistant") return askOrStop(steps, maxSteps);
  const answered = new Set(
    transcript.slice(position + 1).flatMap((entry) => (entry.kind === "tool" ? [entry.id] : [])),
  );
  const calls = callsOf(last);
  const open = calls.filter(({ id }) => !answered.has(id));
  if (open.length > 0) return { kind: "call", calls: open };
  if (calls.length > 0) return askOrStop(steps, maxSteps);
  return { kind: "end", reason: last.finish === "tool_calls" ? "other" : last.finish };
}

function askOrStop(steps: number, maxSteps: number): AgentAction {
  return steps < maxSteps ? { kind: "ask" } : { kind: "end", reason: "step_limit" };
}

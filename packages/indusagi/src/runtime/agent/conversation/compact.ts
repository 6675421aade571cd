import { cutText } from "../../../core/index.ts";
import { textEnd } from "../../../core/internal.ts";
import type { Message, ModelPort } from "../../../llm/index.ts";
import type { CompactionEntry, ResultStore, TranscriptEntry } from "../contract.ts";
import { resultText } from "../results/preview.ts";
import { conversationView, lastCompaction, PREVIEW_CHARS, storedId } from "./conversation-view.ts";
import { messageTokens } from "./message-tokens.ts";
import { planCompaction } from "./plan-compaction.ts";

const INSTRUCTION =
  "Summarise this conversation for the assistant that continues it. Keep: what the user wants and has decided, what was done, the exact names of files, functions, commands and values that are still needed, what failed and why, and what remains to be done. Write plain text without an introduction.";
/** The longest user request that is repeated after the summary. */
const MAX_REQUEST = 4_000;

export interface CompactOptions {
  readonly model: ModelPort;
  readonly store: ResultStore;
  /** Default: the current size of the conversation. */
  readonly windowTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes the entry that shortens a conversation. Answers that become previews can still be read from the store. */
export async function compact(
  transcript: readonly TranscriptEntry[],
  { model, store, windowTokens, signal }: CompactOptions,
): Promise<CompactionEntry | undefined> {
  const tokens = windowTokens ?? messageTokens(conversationView(transcript));
  const plan = planCompaction(transcript, tokens);
  if (!plan) return undefined;
  await keepAnswers(transcript, plan.previewsBefore, store);
  const { previewsBefore, summaryBefore } = plan;
  const known = lastCompaction(transcript)?.summary;
  if (summaryBefore === undefined)
    return { kind: "compaction", previewsBefore, ...(known && { summary: known }) };
  const old = conversationView([
    ...transcript.slice(0, summaryBefore),
    { kind: "compaction", previewsBefore: summaryBefore, ...(known && { summary: known }) },
  ]);
  const text = await summarise(old, { model, maxTokens: tokens, signal });
  const request = openRequest(transcript, summaryBefore);
  return {
    kind: "compaction",
    previewsBefore,
    summary: { before: summaryBefore, text: `${text}${request}` },
  };
}

async function keepAnswers(
  transcript: readonly TranscriptEntry[],
  before: number,
  store: ResultStore,
): Promise<void> {
  for (const [position, entry] of transcript.slice(0, before).entries()) {
    if (entry.kind !== "tool" || entry.stored !== undefined) continue;
    const text = resultText(entry.content);
    if (text.length > PREVIEW_CHARS) await store.keep(storedId(position), text);
  }
}

async function summarise(
  messages: readonly Message[],
  {
    model,
    maxTokens,
    signal,
  }: { readonly model: ModelPort; readonly maxTokens: number; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const asked: Message = { role: "user", content: [{ kind: "text", text: asText(messages, maxTokens) }] };
  let text = "";
  for await (const event of model.stream({ system: INSTRUCTION, messages: [asked], tools: [] }, signal)) {
    if (event.kind === "part" && event.part.kind === "text") text += event.part.text;
  }
  if (text.trim() === "") throw new Error("the model returned an empty summary");
  return text;
}

/** A conversation as text, without the middle if it exceeds the model's window. */
function asText(messages: readonly Message[], maxTokens: number): string {
  const text = messages.map((message) => `## ${message.role}\n${contentText(message)}`).join("\n\n");
  const maxChars = Math.max(2_000, maxTokens * 3);
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  return `${cutText(text, half)}\n\n[… ${text.length - 2 * half} characters left out …]\n\n${textEnd(text, half)}`;
}

function contentText({ content }: Message): string {
  return content
    .map((part) => {
      if (part.kind === "text") return part.text;
      if (part.kind === "tool_call") return `calls ${part.name} ${JSON.stringify(part.input)}`;
      if (part.kind === "tool_result") return `${part.name} answered: ${resultText(part.content)}`;
      return part.kind === "image" ? "(an image)" : "";
    })
    .join("\n");
}

/** The user's last request, verbatim, if the summary ends in the middle of the work on it. */
function openRequest(transcript: readonly TranscriptEntry[], before: number): string {
  if (transcript[before]?.kind === "user") return "";
  const last = transcript.slice(0, before).findLast((entry) => entry.kind === "user");
  const text = last?.content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n") ?? "";
  return text === "" ? "" : `\n\nThe request that is being worked on:\n${cutText(text, MAX_REQUEST)}`;
}

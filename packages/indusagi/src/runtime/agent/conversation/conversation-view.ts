import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from "../../../llm/index.ts";
import type { AssistantEntry, CompactionEntry, ToolEntry, TranscriptEntry } from "../contract.ts";
import { previewOf, resultText } from "../results/preview.ts";

/** The approximate length of a preview. */
export const PREVIEW_CHARS = 600;

/**
 * The conversation as the model gets it. Well formed for every transcript, even one that ended in the middle of a step:
 * each call is followed by exactly one answer, and the first message is the user's.
 */
export function conversationView(transcript: readonly TranscriptEntry[]): readonly Message[] {
  const compaction = lastCompaction(transcript);
  const from = compaction?.summary?.before ?? 0;
  const messages: Message[] = [];
  if (compaction?.summary) pushUser(messages, [{ kind: "text", text: summaryText(compaction.summary.text) }]);
  for (let position = from; position < transcript.length; position++) {
    const entry = transcript[position];
    if (entry?.kind === "user") pushUser(messages, entry.content);
    else if (entry?.kind === "assistant")
      pushStep(messages, entry, answersTo(transcript, position, compaction));
  }
  return messages;
}

/** A conversation with its calls and answers as text. Vendors refuse a request that has calls but offers no tools. */
export function withoutToolParts(view: readonly Message[]): readonly Message[] {
  const messages: Message[] = [];
  for (const message of view) {
    if (message.role === "user") pushUser(messages, message.content);
    else if (message.role === "tool")
      pushUser(
        messages,
        message.content.map(({ name, content }) => ({
          kind: "text",
          text: `[${name} answered: ${resultText(content)}]`,
        })),
      );
    else messages.push({ role: "assistant", content: message.content.map(callAsText) });
  }
  return messages;
}

function callAsText(part: AssistantMessage["content"][number]): AssistantMessage["content"][number] {
  if (part.kind !== "tool_call") return part;
  return { kind: "text", text: `[called ${part.name} with ${JSON.stringify(part.input)}]` };
}

export function lastCompaction(transcript: readonly TranscriptEntry[]): CompactionEntry | undefined {
  return transcript.findLast((entry) => entry.kind === "compaction");
}

/** The calls of a step. */
export function callsOf({
  content,
}: {
  readonly content: AssistantMessage["content"];
}): readonly ToolCallPart[] {
  return content.filter((part) => part.kind === "tool_call");
}

/** The store id of an answer that becomes a preview later. Based on the position: call ids may repeat in a conversation. */
export function storedId(position: number): string {
  return `t${position}`;
}

/** Joins two user messages in a row: not every vendor accepts them separately. */
function pushUser(messages: Message[], content: UserMessage["content"]): void {
  const last = messages.at(-1);
  if (last?.role === "user")
    messages[messages.length - 1] = { role: "user", content: [...last.content, ...content] };
  else messages.push({ role: "user", content });
}

function pushStep(messages: Message[], entry: AssistantEntry, answers: readonly ToolResultPart[]): void {
  if (entry.content.length === 0) return; // Vendors reject an empty message.
  messages.push({ role: "assistant", content: entry.content });
  if (answers.length > 0) messages.push({ role: "tool", content: answers });
}

/** The answers to the calls of the step at a position, in the order of the calls. */
function answersTo(
  transcript: readonly TranscriptEntry[],
  position: number,
  compaction: CompactionEntry | undefined,
): readonly ToolResultPart[] {
  const step = transcript[position] as AssistantEntry;
  const answers = new Map<string, ToolResultPart>();
  for (let next = position + 1; next < transcript.length; next++) {
    const entry = transcript[next];
    if (entry?.kind === "assistant" || entry?.kind === "user") break;
    if (entry?.kind === "tool") answers.set(entry.id, shownAnswer(entry, next, compaction));
  }
  return callsOf(step).map(({ id, name }) => answers.get(id) ?? interrupted(id, name));
}

function shownAnswer(
  entry: ToolEntry,
  position: number,
  compaction: CompactionEntry | undefined,
): ToolResultPart {
  const { id, name, isError } = entry;
  const isOld = compaction !== undefined && position < compaction.previewsBefore;
  const content =
    isOld && resultText(entry.content).length > PREVIEW_CHARS
      ? previewOf(entry.content, { id: entry.stored ?? storedId(position), maxChars: PREVIEW_CHARS })
      : entry.content;
  return { kind: "tool_result", id, name, content, isError };
}

function interrupted(id: string, name: string): ToolResultPart {
  const text = `${name} was interrupted before it answered; it may have had effects`;
  return { kind: "tool_result", id, name, content: [{ kind: "text", text }], isError: true };
}

function summaryText(summary: string): string {
  return `The conversation until here was shortened to this summary:\n\n${summary}`;
}

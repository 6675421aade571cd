import type { ContentBlock, PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { ToolContentBlock } from "indusagi/llm";
import type { ToolEntry, TranscriptEntry } from "indusagi/runtime";
import type { SessionEvent } from "../../conductor/index.ts";
import { callShape } from "./call-shape.ts";

export interface UpdateOptions {
  readonly cwd: string;
  /** Whether the editor shows notices. */
  readonly hasNotices: boolean;
}

/** The updates for an event. */
export function updatesOf(event: SessionEvent, options: UpdateOptions): readonly SessionUpdate[] {
  switch (event.kind) {
    case "text_delta":
      return [{ sessionUpdate: "agent_message_chunk", content: textBlock(event.text) }];
    case "reasoning_delta":
      return [{ sessionUpdate: "agent_thought_chunk", content: textBlock(event.text) }];
    case "tool_start":
      return startUpdates(event.call.id, event.call.name, event.sent, options);
    case "tool_progress":
      return event.note.message === undefined
        ? []
        : [
            {
              sessionUpdate: "tool_call_update",
              toolCallId: event.id,
              content: [{ type: "content", content: textBlock(event.note.message) }],
            },
          ];
    case "entry":
      return event.entry.kind === "tool" ? [endUpdate(event.entry)] : [];
    case "mode":
      return [{ sessionUpdate: "current_mode_update", currentModeId: event.mode }];
    case "notice":
      return notice(event.message, options);
    case "compaction_failed":
      return notice(`the conversation could not be shortened: ${event.message}`, options);
    case "model":
      return notice(`the model is now ${event.model}`, options);
    default:
      return [];
  }
}

/** The updates for a loaded session's transcript. */
export function replayedUpdates(entries: readonly TranscriptEntry[], cwd: string): readonly SessionUpdate[] {
  return entries.flatMap((entry): readonly SessionUpdate[] => {
    if (entry.kind === "user")
      return entry.content.map((part) => ({
        sessionUpdate: "user_message_chunk",
        content:
          part.kind === "text"
            ? textBlock(part.text)
            : { type: "image", mimeType: part.mimeType, data: part.data },
      }));
    if (entry.kind === "assistant")
      return entry.content.flatMap((part): readonly SessionUpdate[] => {
        if (part.kind === "text")
          return [{ sessionUpdate: "agent_message_chunk", content: textBlock(part.text) }];
        return part.kind === "reasoning" && part.text !== ""
          ? [{ sessionUpdate: "agent_thought_chunk", content: textBlock(part.text) }]
          : [];
      });
    if (entry.kind !== "tool") return [];
    const start = startUpdates(entry.id, entry.name, entry.given, { cwd, hasNotices: false });
    return [...start, endUpdate(entry)];
  });
}

function startUpdates(
  id: string,
  name: string,
  input: unknown,
  { cwd }: UpdateOptions,
): readonly SessionUpdate[] {
  const plan = planOf(name, input);
  return [
    {
      sessionUpdate: "tool_call",
      toolCallId: id,
      name,
      status: "in_progress",
      rawInput: input,
      ...callShape(name, input, cwd),
    },
    ...(plan ? [{ sessionUpdate: "plan", entries: plan } as const] : []),
  ];
}

/** The editor keeps showing the diff of a file change, so its result text is not sent. */
function endUpdate({ id, name, content, isError }: ToolEntry): SessionUpdate {
  const isChange = (name === "edit" || name === "write") && !isError;
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: id,
    status: isError ? "failed" : "completed",
    ...(isChange ? {} : { content: content.map(contentOf) }),
  };
}

function contentOf(block: ToolContentBlock): ToolCallContent {
  if (block.kind === "text") return { type: "content", content: textBlock(block.text) };
  const { type, data, mimeType } = Object(block.value) as { readonly [member: string]: unknown };
  if (block.mcp && type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { type: "content", content: { type, data, mimeType } };
  return { type: "content", content: textBlock(JSON.stringify(block.value, undefined, 2) ?? "") };
}

const STATES: { readonly [state: string]: PlanEntry["status"] } = {
  active: "in_progress",
  done: "completed",
  dropped: "completed",
};
const WEIGHTS: { readonly [weight: string]: PlanEntry["priority"] } = { high: "high", low: "low" };

/** The to-do list that a call sets. Undefined for other calls. */
function planOf(name: string, input: unknown): PlanEntry[] | undefined {
  if (name !== "todo" && name !== "todo_set") return undefined;
  const { items } = Object(input) as { readonly items?: unknown };
  if (!Array.isArray(items)) return undefined;
  return items.map((item) => {
    const { task, text, state, status, weight } = Object(item) as { readonly [member: string]: unknown };
    return {
      content: [task, text].find((each) => typeof each === "string") ?? "",
      status: STATES[String(state ?? status)] ?? "pending",
      priority: WEIGHTS[String(weight)] ?? "medium",
    };
  });
}

function notice(message: string, { hasNotices }: UpdateOptions): readonly SessionUpdate[] {
  return hasNotices
    ? [{ sessionUpdate: "notice", severity: "info", title: message }]
    : [{ sessionUpdate: "agent_thought_chunk", content: textBlock(`${message}\n`) }];
}

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

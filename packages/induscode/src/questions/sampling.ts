import type { ImagePart, Message, ModelRequest, TextPart } from "indusagi/llm";
import type { Session } from "../conductor/index.ts";

type Members = { readonly [member: string]: unknown };

/** The request of a server in our form. Throws, with the reason for the server, if the model cannot get it. */
export function samplingRequest(params: Members): ModelRequest {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools } = params;
  if (!Array.isArray(messages) || messages.length === 0) throw new Error("the request has no messages");
  if (Array.isArray(tools) && tools.length > 0)
    throw new Error("tools in a sampling request are not supported");
  return {
    messages: messages.map(messageOf),
    tools: [],
    ...(typeof systemPrompt === "string" && { system: systemPrompt }),
    ...(typeof maxTokens === "number" && maxTokens > 0 && { maxOutputTokens: Math.floor(maxTokens) }),
    ...(typeof temperature === "number" && { temperature }),
    ...(Array.isArray(stopSequences) && {
      stopSequences: stopSequences.filter((each): each is string => typeof each === "string"),
    }),
  };
}

function messageOf(message: unknown): Message {
  const { role, content } = Object(message) as Members;
  const parts = (Array.isArray(content) ? content : [content]).map(partOf);
  if (role === "user") return { role, content: parts };
  if (role !== "assistant") throw new Error(`a message has the role ${JSON.stringify(role)}`);
  const texts = parts.filter((part) => part.kind === "text");
  if (texts.length < parts.length) throw new Error("a message of the assistant may only contain text");
  return { role, content: texts };
}

function partOf(block: unknown): TextPart | ImagePart {
  const { type, text, data, mimeType } = Object(block) as Members;
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { kind: "image", mimeType, data };
  throw new Error(`content of type ${JSON.stringify(type)} is not supported`);
}

const STOP_REASONS: { readonly [reason: string]: string } = { stop: "endTurn", length: "maxTokens" };

/** Asks the session's model and returns the result of `sampling/createMessage`. */
export async function sample(
  session: Pick<Session, "model" | "complete">,
  request: ModelRequest,
  signal?: AbortSignal,
): Promise<object> {
  let text = "";
  let reason = "stop";
  for await (const event of session.complete(request, signal)) {
    if (event.kind === "part" && event.part.kind === "text") text += event.part.text;
    if (event.kind === "finish") reason = event.reason;
  }
  return {
    role: "assistant",
    content: { type: "text", text },
    model: session.model,
    stopReason: STOP_REASONS[reason] ?? reason,
  };
}

import { cutText } from "indusagi/core";
import type { UserMessage } from "indusagi/llm";

export type ContentParts = UserMessage["content"];

/** A longer text would fill the model's context. */
const MAX_TEXT_CHARS = 400_000;

type Members = { readonly [member: string]: unknown };

/** A prompt's messages as one user message, labelled if there are several speakers. */
export function partsOfMessages(messages: readonly unknown[]): ContentParts {
  const isDialog = messages.some((message) => membersOf(message)["role"] !== "user");
  return messages.flatMap((message) => {
    const { role, content } = membersOf(message);
    const parts = partsOfBlock(content);
    return isDialog ? [textPart(`${String(role)}:`), ...parts] : parts;
  });
}

/** The contents of a resource, each with its URI. */
export function partsOfResource(contents: readonly unknown[], server: string): ContentParts {
  return contents.flatMap((content) => {
    const { uri, text, blob, mimeType } = membersOf(content);
    const label = `resource ${String(uri)} of server ${server}`;
    if (typeof text === "string") return [textPart(`<${label}>\n${shortened(text)}\n</resource>`)];
    if (typeof blob !== "string") return [textPart(`(${label} is empty)`)];
    if (typeof mimeType === "string" && mimeType.startsWith("image/"))
      return [textPart(`${label}:`), { kind: "image" as const, mimeType, data: blob }];
    return [
      textPart(
        `(${label} is binary, ${typeof mimeType === "string" ? mimeType : "of unknown type"}, and is not included)`,
      ),
    ];
  });
}

function partsOfBlock(block: unknown): ContentParts {
  const { type, text, data, mimeType, resource, uri, name } = membersOf(block);
  if (type === "text" && typeof text === "string") return [textPart(shortened(text))];
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return [{ kind: "image", mimeType, data }];
  if (type === "resource") {
    const { uri: address, text: inner } = membersOf(resource);
    if (typeof inner === "string")
      return [textPart(`<resource ${String(address)}>\n${shortened(inner)}\n</resource>`)];
  }
  if (type === "resource_link")
    return [textPart(`resource ${typeof name === "string" ? name : ""} at ${String(uri)}`)];
  return [textPart(`(content of type ${String(type)} is not included)`)];
}

function textPart(text: string): ContentParts[number] {
  return { kind: "text", text };
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT_CHARS
    ? text
    : `${cutText(text, MAX_TEXT_CHARS)}\n(cut after ${MAX_TEXT_CHARS} of ${text.length} characters)`;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

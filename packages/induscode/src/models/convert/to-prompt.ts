import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import { isRecord } from "indusagi/core";
import {
  type AssistantMessage,
  type Message,
  type ModelRequest,
  projectName,
  projectSchema,
  type ToolDescriptor,
  type ToolResultPart,
  type UserMessage,
  type VendorData,
} from "indusagi/llm";
import { blockText } from "indusagi/runtime";
import type { Provider } from "../providers/provider-table.ts";

type PromptPart<Role extends LanguageModelV3Message["role"]> = Extract<
  LanguageModelV3Message,
  { readonly role: Role }
>["content"][number];
type ResultOutput = Extract<PromptPart<"tool">, { readonly type: "tool-result" }>["output"];

/** The provider's tool names by ours. */
export type NameMap = ReadonlyMap<string, string>;

/** A conversation in the format of the provider packages. */
export function toPrompt(
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
  provider: Provider,
  names: NameMap,
): LanguageModelV3Prompt {
  // A model may have called a tool that does not exist, by any name; vendors reject illegal names.
  const nameOf = (own: string): string => names.get(own) ?? projectName(own, provider.dialect);
  const said = messages.flatMap((message) => toMessages(message, provider, nameOf));
  const prompt: LanguageModelV3Message[] =
    system === undefined || system === "" ? said : [{ role: "system", content: system }, ...said];
  return provider.hasCacheMarks ? prompt.map(withCacheMark) : prompt;
}

/** Marks the system prompt and the last two messages, so each request finds what the previous one cached. */
function withCacheMark(
  message: LanguageModelV3Message,
  index: number,
  all: readonly LanguageModelV3Message[],
): LanguageModelV3Message {
  if (message.role !== "system" && index < all.length - 2) return message;
  return { ...message, providerOptions: { ...message.providerOptions, ...CACHE_MARK } };
}

const CACHE_MARK: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

function toMessages(
  message: Message,
  provider: Provider,
  nameOf: (own: string) => string,
): LanguageModelV3Message[] {
  if (message.role === "user") return [{ role: "user", content: message.content.map(userPart) }];
  if (message.role === "assistant")
    return [{ role: "assistant", content: message.content.map((part) => assistantPart(part, nameOf)) }];
  const answers: LanguageModelV3Message = {
    role: "tool",
    content: message.content.map((part) => ({
      type: "tool-result",
      toolCallId: part.id,
      toolName: nameOf(part.name),
      output: resultOutput(part, provider),
    })),
  };
  const images = provider.imagesInResults ? [] : message.content.flatMap(imagesOf);
  if (images.length === 0) return [answers];
  return [
    answers,
    { role: "user", content: [{ type: "text", text: "The images of the tool results:" }, ...images] },
  ];
}

function userPart(part: UserMessage["content"][number]): PromptPart<"user"> {
  return part.kind === "text"
    ? { type: "text", text: part.text }
    : { type: "file", mediaType: part.mimeType, data: part.data };
}

function assistantPart(
  part: AssistantMessage["content"][number],
  nameOf: (own: string) => string,
): PromptPart<"assistant"> {
  const options = vendorOptions(part.vendor);
  if (part.kind === "tool_call") {
    const { id, name, input } = part;
    return {
      type: "tool-call",
      toolCallId: id,
      toolName: nameOf(name),
      input: argumentsObject(input),
      ...options,
    };
  }
  return { type: part.kind, text: part.text, ...options };
}

/** Vendors accept only objects. Other arguments go into a member of one, as the model wrote them. */
function argumentsObject(input: unknown): object {
  const read = typeof input === "string" ? parsedObject(input) : input;
  if (isRecord(read)) return read;
  return input === undefined || input === null ? {} : { invalid: input };
}

function parsedObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function vendorOptions(vendor: VendorData | undefined): { providerOptions?: SharedV3ProviderOptions } {
  return vendor ? { providerOptions: vendor as SharedV3ProviderOptions } : {};
}

interface Media {
  readonly type: string;
  readonly data: string;
  readonly mimeType: string;
}

/** An image or other media in a tool result. */
function mediaOf(block: ToolResultPart["content"][number]): Media | undefined {
  if (block.kind === "text" || !block.mcp) return undefined;
  const { type, data, mimeType } = block.value as Partial<Media>;
  const isMedia =
    (type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string";
  return isMedia ? { type, data, mimeType } : undefined;
}

function imagesOf({ content }: ToolResultPart): PromptPart<"user">[] {
  return content.flatMap((block) => {
    const media = mediaOf(block);
    return media?.type === "image"
      ? [{ type: "file" as const, mediaType: media.mimeType, data: media.data }]
      : [];
  });
}

function resultOutput({ content, isError }: ToolResultPart, { imagesInResults }: Provider): ResultOutput {
  const parts = content.map((block) => {
    const media = mediaOf(block);
    if (media?.type === "image" && imagesInResults)
      return { type: "image-data" as const, data: media.data, mediaType: media.mimeType };
    if (media) return { type: "text" as const, text: noteOn(media) };
    return { type: "text" as const, text: blockText(block) ?? jsonText(block) };
  });
  if (parts.some(({ type }) => type === "image-data")) return { type: "content", value: parts };
  const value = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return { type: isError ? "error-text" : "text", value };
}

function jsonText(block: ToolResultPart["content"][number]): string {
  return block.kind === "json" ? (JSON.stringify(block.value) ?? "") : block.text;
}

function noteOn({ type, mimeType }: Media): string {
  return type === "image"
    ? `(an image, ${mimeType}: it follows)`
    : `(audio, ${mimeType}: it cannot be passed on)`;
}

interface OfferedTools {
  readonly tools: readonly LanguageModelV3FunctionTool[];
  /** The provider's names by ours. */
  readonly names: NameMap;
  /** Our names by the provider's. */
  readonly ownNames: NameMap;
  /** What was left out, one line each. */
  readonly losses: readonly string[];
}

/** Converts tools to a provider's dialect and limits. */
export function toTools(descriptors: readonly ToolDescriptor[], provider: Provider): OfferedTools {
  const { dialect, maxTools = descriptors.length, hasCacheMarks } = provider;
  const offered = descriptors.slice(0, maxTools);
  const simplified: string[] = [];
  const tools = offered.map((descriptor, index): LanguageModelV3FunctionTool => {
    const projected = projectSchema(descriptor.parameters, dialect);
    if (projected.losses.length > 0) simplified.push(descriptor.name);
    return {
      type: "function",
      name: projectName(descriptor.name, dialect),
      description: descriptor.description,
      inputSchema: projected.schema,
      // Everything up to here is the same in every request of a session.
      ...(hasCacheMarks && index === offered.length - 1 && { providerOptions: CACHE_MARK }),
    };
  });
  const pairs = offered.map(({ name }, index) => [name, tools[index]?.name ?? name] as const);
  return {
    tools,
    names: new Map(pairs),
    ownNames: new Map(pairs.map(([own, theirs]) => [theirs, own])),
    losses: [
      ...lossesOfNumber(descriptors.slice(offered.length), provider),
      ...lossesOfSchemas(simplified, provider),
    ],
  };
}

function lossesOfNumber(left: readonly ToolDescriptor[], { id, maxTools }: Provider): readonly string[] {
  if (left.length === 0) return [];
  const names = left.map(({ name }) => name);
  return [`${id} accepts at most ${maxTools} tools; ${left.length} are not offered: ${firstNames(names)}`];
}

/** One line for all tools: many servers use the same keyword in each of them. */
function lossesOfSchemas(names: readonly string[], { id }: Provider): readonly string[] {
  if (names.length === 0) return [];
  const tools = names.length === 1 ? "1 tool" : `${names.length} tools`;
  return [`${id} does not support everything in the schemas of ${tools}: ${firstNames(names)}`];
}

function firstNames(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(", ")} …` : names.join(", ");
}

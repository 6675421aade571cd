import { jsonText } from "../../interop/content/index.ts";
import type { MCPContentBlock, MCPResourceContents, MCPToolCallResult } from "../contract/index.ts";
import { fitTexts } from "../tools/fit-texts.ts";

/** Words of an answer. */
interface TextPortion {
  readonly kind: "text";
  readonly text: string;
}

/** A picture, a sound or a file in an answer. */
export interface MediaPortion {
  readonly kind: "media";
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** One piece of an answer, in the two kinds that model providers know. */
export type Portion = TextPortion | MediaPortion;

/** What an answer without a word is told as: providers refuse empty text, and a model should not have to guess. */
const NO_OUTPUT = "(no output)";

/** An answer in portions, its texts within the budget. At least one portion, and no empty text. */
export function portionsOf(
  { content, structuredContent }: MCPToolCallResult,
  maxBytes: number | undefined,
): readonly Portion[] {
  const told = content.map(portionOf).filter((portion) => portion.kind === "media" || portion.text !== "");
  // Content is the answer in words; only when there is none are the data all there is to tell.
  const portions: readonly Portion[] =
    told.length > 0
      ? told
      : [text(structuredContent === undefined ? NO_OUTPUT : jsonText(structuredContent))];
  const words = portions.map((portion) => (portion.kind === "text" ? portion.text : ""));
  const fitted = fitTexts(words, maxBytes);
  return portions.map((portion, index) => (portion.kind === "text" ? text(fitted[index] ?? "") : portion));
}

/** All portions as one text, for places where only text can stand. */
export function wordsOf(portions: readonly Portion[]): string {
  return portions
    .map((portion) => (portion.kind === "text" ? portion.text : mediaInWords(portion)))
    .join("\n");
}

/** What a model is told about something it cannot be shown. */
export function mediaInWords({ mimeType, data }: MediaPortion): string {
  return `[${mimeType}, ${Math.floor((data.length * 3) / 4)} bytes, cannot be shown here]`;
}

/** Whether something is a picture of one of the types that every provider takes. */
export function isCommonImage({ mimeType }: MediaPortion): boolean {
  return /^image\/(png|jpeg|gif|webp)$/i.test(mimeType);
}

const text = (words: string): TextPortion => ({ kind: "text", text: words });

function portionOf(block: MCPContentBlock): Portion {
  switch (block.type) {
    case "text":
      return text(typeof block.text === "string" ? block.text : jsonText(block));
    case "image":
    case "audio":
      return mediaOf(block.mimeType, block.data) ?? text(jsonText(block));
    case "resource":
      return resourcePortion(block.resource) ?? text(jsonText(block));
    case "resource_link":
      return text(
        `[resource ${[block.title ?? block.name, block.uri, block.description].filter(Boolean).join(", ")}]`,
      );
    default:
      return text(jsonText(block));
  }
}

/** Typed as what it may be rather than what it should be: it comes from a server. */
function resourcePortion(resource: Partial<MCPResourceContents> | undefined): Portion | undefined {
  const { text: words, mimeType, blob } = resource ?? {};
  return typeof words === "string" ? text(words) : mediaOf(mimeType ?? "application/octet-stream", blob);
}

function mediaOf(mimeType: unknown, data: unknown): MediaPortion | undefined {
  return typeof mimeType === "string" && typeof data === "string"
    ? { kind: "media", mimeType, data }
    : undefined;
}

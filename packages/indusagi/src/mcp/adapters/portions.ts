import { jsonText } from "../../interop/content/index.ts";
import type { MCPContentBlock, MCPResourceContents, MCPToolCallResult } from "../contract/index.ts";
import { fitTexts } from "../tools/fit-content.ts";

interface TextPortion {
  readonly kind: "text";
  readonly text: string;
}

/** An image, audio or a file in an answer. */
export interface MediaPortion {
  readonly kind: "media";
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** One part of an answer, in the two kinds that model providers support. */
export type Portion = TextPortion | MediaPortion;

/** The text of an empty answer: providers refuse empty text. */
const NO_OUTPUT = "(no output)";

/** Splits an answer into portions, with its texts cut to `maxBytes`. There is at least one portion and no empty text. */
export function portionsOf(
  { content, structuredContent }: MCPToolCallResult,
  maxBytes: number | undefined,
): readonly Portion[] {
  const shown = content.map(portionOf).filter((portion) => portion.kind === "media" || portion.text !== "");
  // Structured content repeats the content, so it is used only if there is none.
  const portions: readonly Portion[] =
    shown.length > 0
      ? shown
      : [text(structuredContent === undefined ? NO_OUTPUT : jsonText(structuredContent))];
  const texts = portions.map((portion) => (portion.kind === "text" ? portion.text : ""));
  const fitted = fitTexts(texts, maxBytes);
  return portions.map((portion, index) => (portion.kind === "text" ? text(fitted[index] ?? "") : portion));
}

/** Joins all portions into one text, for places that accept only text. */
export function portionsText(portions: readonly Portion[]): string {
  return portions
    .map((portion) => (portion.kind === "text" ? portion.text : describeMedia(portion)))
    .join("\n");
}

/** The text that replaces media which cannot be sent. */
export function describeMedia({ mimeType, data }: MediaPortion): string {
  return `[${mimeType}, ${Math.floor((data.length * 3) / 4)} bytes, cannot be shown here]`;
}

/** True for the image types that every provider accepts. */
export function isCommonImage({ mimeType }: MediaPortion): boolean {
  return /^image\/(png|jpeg|gif|webp)$/i.test(mimeType);
}

const text = (value: string): TextPortion => ({ kind: "text", text: value });

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

/** The resource comes from a server, so its shape is checked. */
function resourcePortion(resource: Partial<MCPResourceContents> | undefined): Portion | undefined {
  const { text: value, mimeType, blob } = resource ?? {};
  return typeof value === "string" ? text(value) : mediaOf(mimeType ?? "application/octet-stream", blob);
}

function mediaOf(mimeType: unknown, data: unknown): MediaPortion | undefined {
  return typeof mimeType === "string" && typeof data === "string"
    ? { kind: "media", mimeType, data }
    : undefined;
}

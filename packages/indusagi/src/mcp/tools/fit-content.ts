import type { MCPContentBlock } from "../contract/index.ts";
import { fitTexts } from "./fit-texts.ts";
import { PREVIEW_SIZE, type PreviewSize, previewText } from "./preview-text.ts";

/** How much of an answer's text a model is given. */
export interface FitContentOptions {
  /** UTF-8 bytes for all texts of the answer together. Default 64 KiB. */
  readonly maxBytes?: number;
  /** Only the beginning of each text, as the sister editions cut it: 4 lines and 500 characters, or another size. */
  readonly preview?: boolean | PreviewSize;
}

/**
 * An answer as a model gets it: its texts, those of embedded resources too, whole within a budget or as previews.
 * Every block of every kind stays, in its place; an answer that fits comes back as the very list it was.
 */
export function fitContent(
  content: readonly MCPContentBlock[],
  options: FitContentOptions = {},
): readonly MCPContentBlock[] {
  const { maxBytes, preview } = options;
  const size = preview === true ? PREVIEW_SIZE : preview;
  const texts = content.map((block) => textOf(block) ?? "");
  const fitted = size ? texts.map((text) => previewText(text, size)) : fitTexts(texts, maxBytes);
  if (fitted.every((text, index) => text === texts[index])) return content;
  return content.map((block, index) =>
    fitted[index] === texts[index] ? block : withText(block, fitted[index] ?? ""),
  );
}

/** A block comes from a server, and may be anything. */
function textOf(block: MCPContentBlock | null | undefined): string | undefined {
  const text: unknown =
    block?.type === "text" ? block.text : block?.type === "resource" ? block.resource?.text : undefined;
  return typeof text === "string" ? text : undefined;
}

function withText(block: MCPContentBlock, text: string): MCPContentBlock {
  if (block.type === "text") return { ...block, text };
  return block.type === "resource" ? { ...block, resource: { ...block.resource, text } } : block;
}

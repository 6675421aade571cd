import { cutText, shortenText } from "../../core/index.ts";
import { clampText } from "../../core/internal.ts";
import type { MCPContentBlock } from "../contract/index.ts";

/** The largest size of a preview. */
export interface PreviewSize {
  readonly lines: number;
  /** UTF-16 units, including the "…" that marks a cut. */
  readonly characters: number;
}

/** The size that the sister editions use. */
const PREVIEW_SIZE: PreviewSize = Object.freeze({ lines: 4, characters: 500 });

/** Limits the text of an answer that a model gets. */
export interface FitContentOptions {
  /** The most UTF-8 bytes of all texts of the answer together. Default 64 KiB. */
  readonly maxBytes?: number;
  /** Keep only the beginning of each text. With `true`: 4 lines and 500 characters. */
  readonly preview?: boolean | PreviewSize;
}

/**
 * Limits the texts of an answer, including those of embedded resources. All blocks stay, in the same order. Returns the
 * same array if every text fits.
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

function previewText(text: string, { lines: maxLines, characters }: PreviewSize): string {
  const lines = text.split("\n", maxLines + 1);
  if (lines.length <= maxLines) return shortenText(text, characters);
  return `${cutText(lines.slice(0, maxLines).join("\n"), Math.max(0, characters - 1))}…`;
}

/** Blocks come from a server, so their shape is checked. */
function textOf(block: MCPContentBlock | null | undefined): string | undefined {
  const text: unknown =
    block?.type === "text" ? block.text : block?.type === "resource" ? block.resource?.text : undefined;
  return typeof text === "string" ? text : undefined;
}

function withText(block: MCPContentBlock, text: string): MCPContentBlock {
  if (block.type === "text") return { ...block, text };
  return block.type === "resource" ? { ...block, resource: { ...block.resource, text } } : block;
}

/** The default number of UTF-8 bytes of text in one answer. */
const DEFAULT_MAX_BYTES: number = 64 * 1024;

/**
 * Cuts texts so together they fit into a number of UTF-8 bytes. Small texts stay whole; the large ones share the
 * rest evenly and keep both their ends. Returns the same array if all texts fit.
 */
export function fitTexts(texts: readonly string[], maxBytes: number = DEFAULT_MAX_BYTES): readonly string[] {
  const share = shareOf(
    texts.map((text) => Buffer.byteLength(text)),
    maxBytes,
  );
  if (share === undefined) return texts;
  return texts.map((text) => clampText(text, { kind: "middle", maxBytes: share }));
}

/** The bytes that each large text may keep; `undefined` if all texts fit. */
function shareOf(sizes: readonly number[], maxBytes: number): number | undefined {
  let left = maxBytes;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const even = Math.floor(Math.max(0, left) / (ascending.length - index));
    if (size > even) return even;
    left -= size;
  }
  return undefined;
}

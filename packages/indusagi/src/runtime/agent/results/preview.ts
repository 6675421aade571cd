import { cutText } from "../../../core/index.ts";
import { textEnd } from "../../../core/internal.ts";
import type { ToolContentBlock } from "../../../llm/index.ts";
import { blockText } from "../../results.ts";

/** The name of the tool that reads a stored answer. */
export const READ_RESULT = "read_result";

/** The share of a preview for the beginning. The end often holds the error or the total. */
const HEAD_SHARE = 0.7;

/** The text of an answer. Images and other media have none. */
export function resultText(content: readonly ToolContentBlock[]): string {
  return content.flatMap((block) => (isMedia(block) ? [] : [textOf(block)])).join("\n");
}

/** The start and the end of a long text in about `maxChars`, with the media unchanged and a note on how to read the rest. */
export function previewOf(
  content: readonly ToolContentBlock[],
  { id, maxChars }: { readonly id: string; readonly maxChars: number },
): readonly ToolContentBlock[] {
  const whole = resultText(content);
  const head = cutText(whole, Math.floor(maxChars * HEAD_SHARE));
  const tail = textEnd(whole, Math.floor(maxChars * (1 - HEAD_SHARE)));
  const skipped = whole.length - head.length - tail.length;
  const note = `[${skipped} of ${whole.length} characters are left out here. ${READ_RESULT} with {"id":"${id}","offset":${head.length}} reads on.]`;
  return [{ kind: "text", text: `${head}\n\n${note}\n\n${tail}` }, ...content.filter(isMedia)];
}

function textOf(block: ToolContentBlock): string {
  return blockText(block) ?? JSON.stringify((block as { readonly value: unknown }).value) ?? "";
}

function isMedia(block: ToolContentBlock): boolean {
  if (block.kind === "text" || !block.mcp) return false;
  const { type } = block.value as { readonly type?: unknown };
  return type === "image" || type === "audio";
}

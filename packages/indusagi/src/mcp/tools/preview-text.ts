import { cutText } from "../../core/index.ts";

/** How long a preview may be, at most. */
export interface PreviewSize {
  readonly lines: number;
  /** UTF-16 units, the mark of the cut included. */
  readonly characters: number;
}

/** The sister editions' preview. */
export const PREVIEW_SIZE: PreviewSize = Object.freeze({ lines: 4, characters: 500 });

const CUT = "…";

/** The beginning of a text, for a line or two on a screen. A text that fits comes back as it is; a cut is marked. */
export function previewText(text: string, size: PreviewSize = PREVIEW_SIZE): string {
  const lines = text.split("\n", size.lines + 1);
  const shown = lines.length > size.lines ? lines.slice(0, size.lines).join("\n") : text;
  if (shown.length <= size.characters && shown === text) return text;
  return `${cutText(shown, Math.max(0, size.characters - CUT.length))}${CUT}`;
}

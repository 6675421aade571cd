import { escapeForDisplay } from "indusagi/core";
import type { Look } from "../colour.ts";
import { isMarkdown, renderMarkdown } from "../markdown.ts";

/** How content from servers is shown. */
export interface ContentView {
  /** Whether the target is a screen: control characters are escaped and Markdown is rendered. */
  readonly isScreen: boolean;
  readonly look: Look;
  /** Stores binary content in a file and returns its path. */
  save(bytes: Uint8Array, mimeType?: string): string;
}

/** Multi-line text from a server. A program reading a pipe gets it unchanged. */
export function showText(text: string, { isScreen, look }: ContentView, mimeType?: string): string {
  if (!isScreen) return text;
  const safe = escapeForDisplay(text, { keepNewlines: true });
  return mimeType === "text/markdown" || isMarkdown(safe) ? renderMarkdown(safe, look) : safe;
}

/** Text from a server, in one line. */
export function showInline(text: unknown): string {
  return typeof text === "string" ? escapeForDisplay(text.replaceAll(/\s+/g, " ").trim()) : "";
}

/** Stores base64 data and shows where it is. */
export function showBinary(data: string, mimeType: string | undefined, view: ContentView): string {
  const bytes = Buffer.from(data, "base64");
  return `${showInline(mimeType) || "binary data"}, ${sizeShown(bytes.length)}: ${view.save(bytes, mimeType)}`;
}

export function sizeShown(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

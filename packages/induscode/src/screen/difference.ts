import { escapeForDisplay } from "indusagi/core";
import { type Look, paint } from "./colour.ts";

/** One line of text from outside, safe to show. */
export function showLine(text: string): string {
  return `${escapeForDisplay(text)}\n`;
}

/** Lines with `- ` and `+ ` in front, indented, safe to show, and coloured where the terminal has colours. */
export function showDifference(difference: string, look: Look = {}): string {
  return difference
    .split("\n")
    .map((line) => `  ${painted(escapeForDisplay(line), look)}\n`)
    .join("");
}

function painted(line: string, { hasColours = false }: Look): string {
  if (!hasColours) return line;
  if (line.startsWith("+ ")) return paint("green", line);
  return line.startsWith("- ") ? paint("red", line) : line;
}

import { escapeForDisplay } from "indusagi/core";

/** What a tool answers must not move the cursor: a text for a screen. A file or a program gets it as it is. */
export function onScreen(text: string): string {
  return escapeForDisplay(text, { keepNewlines: true });
}

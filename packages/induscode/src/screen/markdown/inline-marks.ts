import { type Look, paint } from "../colour.ts";

// Each pattern stops at the next mark of its kind, so that a line without closing marks takes linear time.
const CODE = /`([^`\n]+)`/g;
/** Stands for a piece of code while the other marks are removed. The text is safe to show, so it has no such character. */
const PLACE = /\0(\d+)\0/g;
const IMAGE = /!\[([^[\]\n]*)\]\(([^()\s]*)\)/g;
const LINK = /\[([^[\]\n]*)\]\(([^()\s]*)\)/g;
const BARE_LINK = /<((?:https?|mailto):[^<>\s]+)>/g;
const BOLD =
  /(?<!\\)\*\*(?=\S)([^*\n]+)(?<=\S)\*\*|(?<![\p{L}\p{N}_\\])__(?=\S)([^_\n]+)(?<=\S)__(?![\p{L}\p{N}_])/gu;
const ITALIC =
  /(?<![\p{L}\p{N}*\\])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}_\\])_(?=\S)([^_\n]+)(?<=\S)_(?![\p{L}\p{N}_])/gu;
const STRUCK = /~~([^~\n]+)~~/g;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** One line without the marks of Markdown inside it: bold text is bold, a link is its text and its address. */
export function renderInline(line: string, look: Look): string {
  // Text inside backticks has no marks, but may be inside of bold text or of a link.
  const codes: string[] = [];
  const marked = line.replaceAll(CODE, (_, text: string) => `\0${codes.push(code(text, look)) - 1}\0`);
  return withoutMarks(marked, look).replaceAll(PLACE, (_, at: string) => codes[Number(at)] ?? "");
}

function code(text: string, { hasColours }: Look): string {
  return hasColours ? paint("cyan", text) : text;
}

function withoutMarks(text: string, { hasColours }: Look): string {
  return text
    .replaceAll(IMAGE, (_, label: string, address: string) => named(label, address))
    .replaceAll(LINK, (_, label: string, address: string) => named(label, address))
    .replaceAll(BARE_LINK, "$1")
    .replaceAll(BOLD, (_, stars?: string, lines?: string) => {
      const bold = stars ?? lines ?? "";
      return hasColours ? paint("bold", bold) : bold;
    })
    .replaceAll(ITALIC, (_, star?: string, line?: string) => star ?? line ?? "")
    .replaceAll(STRUCK, "$1")
    .replaceAll(ESCAPED, "$1");
}

function named(label: string, address: string): string {
  if (address === "" || label === address) return label;
  return label === "" ? address : `${label} (${address})`;
}

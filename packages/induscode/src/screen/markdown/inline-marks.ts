import { type Look, paint } from "../colour.ts";

// Each pattern stops at the next mark of its kind, so a line without closing marks takes linear time.
const CODE = /`([^`\n]+)`/g;
/** Placeholder for inline code while the other marks are removed. Text that is safe to show does not contain it. */
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

/** Renders the inline Markdown of one line: bold text becomes bold, a link becomes its text and URL. */
export function renderInline(line: string, look: Look): string {
  // Text in backticks contains no marks, but may be inside bold text or a link.
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

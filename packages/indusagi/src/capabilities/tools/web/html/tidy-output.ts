import { escapeText } from "./project-element.ts";

/**
 * Collects the markup of a tidy page. Opening markup waits until there is content for it, so that elements
 * with nothing in them leave nothing behind; count and length are bounded.
 */
export interface TidyOutput {
  /** Whether more elements are taken. Text is, until the length is used up. */
  readonly hasRoom: boolean;
  readonly textLength: number;
  /** There was more text than fits. */
  readonly isFull: boolean;
  /** Goes into an element. Empty markup is allowed and writes nothing. */
  enter(open: string, close: string): void;
  /** Goes out of the element entered last. */
  leave(keepEmpty: boolean): void;
  text(text: string): void;
  /** Text whose white space matters. */
  verbatim(text: string): void;
  /** Keeps two words apart. */
  space(): void;
  /** Content that is markup of its own. */
  leaf(markup: string): void;
  /** `<br>` or `<hr>`; several in a row say no more than one or two. */
  breakLine(tag: "br" | "hr"): void;
  html(): string;
}

const MAX_ELEMENTS = 12_000;
const MAX_LENGTH = 1024 * 1024;
/** The converter's patterns take time in the square of a run of white space. */
const MAX_WHITE_RUN = 120;
const LONG_WHITE_RUN = new RegExp(`\\s{${MAX_WHITE_RUN},}`, "g");

export function createTidyOutput(): TidyOutput {
  const parts: string[] = [];
  const entered: { readonly open: string; readonly close: string }[] = [];
  /** How many of `entered` have their opening markup in `parts`. */
  let written = 0;
  let elements = 0;
  let length = 0;
  let textLength = 0;
  let isFull = false;
  /** White space written so far that no other text has followed. */
  let whiteRun = 0;

  const write = (part: string): void => {
    if (part === "" || isFull) return;
    isFull = length + part.length > MAX_LENGTH;
    if (isFull) return;
    parts.push(part);
    length += part.length;
  };
  const writeOpenings = (): void => {
    for (; written < entered.length; written++) {
      const open = entered[written]?.open ?? "";
      if (open !== "") elements++;
      write(open);
    }
  };

  const text = (words: string): void => {
    writeOpenings();
    textLength += words.length;
    // Escaping lengthens: what surely does not fit is not escaped, and of the rest a beginning is kept.
    const escaped = escapeText(words.slice(0, MAX_LENGTH - length));
    const fitting = escaped.slice(0, MAX_LENGTH - length);
    write(fitting);
    isFull ||= fitting.length < escaped.length || escaped.length < words.length;
  };

  return {
    get hasRoom() {
      return elements < MAX_ELEMENTS && !isFull;
    },
    get textLength() {
      return textLength;
    },
    get isFull() {
      return isFull;
    },
    enter: (open, close) => void entered.push({ open, close }),
    leave(keepEmpty) {
      if (keepEmpty) writeOpenings();
      const left = entered.pop();
      if (written <= entered.length) return;
      written = entered.length;
      write(left?.close ?? "");
    },
    text,
    verbatim(data) {
      const bounded = data.replaceAll(LONG_WHITE_RUN, (run) => run.slice(0, MAX_WHITE_RUN));
      // Text comes in pieces, and a long run may come as many short ones.
      whiteRun = /\S/.test(bounded) ? 0 : whiteRun + bounded.length;
      if (whiteRun <= MAX_WHITE_RUN) text(bounded);
    },
    space() {
      if (parts.length > 0 && parts.at(-1) !== " ") write(" ");
    },
    leaf(markup) {
      writeOpenings();
      elements++;
      write(markup);
    },
    breakLine(tag) {
      const markup = `<${tag}>`;
      // A break before any content of its element would only open an empty block.
      if (written < entered.length && tag === "br") return;
      if (parts.at(-1) === markup && (tag === "hr" || parts.at(-2) === markup)) return;
      elements++;
      write(markup);
    },
    html: () => parts.join(""),
  };
}

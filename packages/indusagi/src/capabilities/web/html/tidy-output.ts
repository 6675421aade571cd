import { escapeText } from "./project-element.ts";

/**
 * Collects the markup of a tidy page. An opening tag is written only when its content comes, so empty elements
 * are not written. The number of elements and the length are limited.
 */
export interface TidyOutput {
  /** Whether more elements are accepted. Text is accepted until the length limit. */
  readonly hasRoom: boolean;
  readonly textLength: number;
  /** There was more text than fits. */
  readonly isFull: boolean;
  /** Enters an element. Its markup may be empty. */
  enter(open: string, close: string): void;
  /** Leaves the element entered last. */
  leave(keepEmpty: boolean): void;
  text(text: string): void;
  /** Text whose white space matters. */
  verbatim(text: string): void;
  /** Separates two words. */
  space(): void;
  /** Content that is markup. */
  leaf(markup: string): void;
  /** `<br>` or `<hr>`; further ones in a row are dropped. */
  breakLine(tag: "br" | "hr"): void;
  html(): string;
}

const MAX_ELEMENTS = 12_000;
const MAX_LENGTH = 1024 * 1024;
const MAX_PARTS = 2000;
/** The converter's patterns are quadratic in a run of white space. */
const MAX_WHITE_RUN = 120;
const LONG_WHITE_RUN = new RegExp(`\\s{${MAX_WHITE_RUN},}`, "g");

export function createTidyOutput(): TidyOutput {
  /** Markup joined so far: joining a hundred thousand parts at the end would take too long in one go. */
  const joined: string[] = [];
  /** The markup after it, which always includes the last two parts. */
  const parts: string[] = [];
  const entered: { readonly open: string; readonly close: string }[] = [];
  /** How many of `entered` have their opening tag in `parts`. */
  let written = 0;
  let elements = 0;
  let length = 0;
  let textLength = 0;
  let isFull = false;
  /** Length of the white space at the end of the text so far. */
  let whiteRun = 0;

  const write = (part: string): void => {
    if (part === "" || isFull) return;
    isFull = length + part.length > MAX_LENGTH;
    if (isFull) return;
    parts.push(part);
    length += part.length;
    if (parts.length > MAX_PARTS) joined.push(parts.splice(0, parts.length - 2).join(""));
  };
  const writeOpenings = (): void => {
    for (; written < entered.length; written++) {
      const open = entered[written]?.open ?? "";
      if (open !== "") elements++;
      write(open);
    }
  };

  const text = (added: string): void => {
    writeOpenings();
    textLength += added.length;
    // Escaping makes text longer, so cut before and after it.
    const escaped = escapeText(added.slice(0, MAX_LENGTH - length));
    const fitting = escaped.slice(0, MAX_LENGTH - length);
    write(fitting);
    isFull ||= fitting.length < escaped.length || escaped.length < added.length;
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
      // Text comes in pieces, so a long run may consist of many short ones.
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
      // A break before the content of its element would only add an empty block.
      if (written < entered.length && tag === "br") return;
      if (parts.at(-1) === markup && (tag === "hr" || parts.at(-2) === markup)) return;
      elements++;
      write(markup);
    },
    html: () => [...joined, ...parts].join(""),
  };
}

import { escapeText } from "./project-element.ts";

/**
 * Collects the markup of a tidy page. Opening markup waits until there is content for it, so that elements
 * with nothing in them leave nothing behind; count and length are bounded.
 */
export interface TidyOutput {
  /** Whether more elements are taken. Text is, until the length is used up. */
  readonly hasRoom: boolean;
  readonly textLength: number;
  /** Goes into an element. Empty markup is allowed and writes nothing. */
  enter(open: string, close: string): void;
  /** Goes out of the element entered last. */
  leave(keepEmpty: boolean): void;
  text(text: string): void;
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

export function createTidyOutput(): TidyOutput {
  const parts: string[] = [];
  const entered: { readonly open: string; readonly close: string }[] = [];
  /** How many of `entered` have their opening markup in `parts`. */
  let written = 0;
  let elements = 0;
  let length = 0;
  let textLength = 0;

  const write = (part: string): void => {
    if (part === "" || length + part.length > MAX_LENGTH) return;
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

  return {
    get hasRoom() {
      return elements < MAX_ELEMENTS && length < MAX_LENGTH;
    },
    get textLength() {
      return textLength;
    },
    enter: (open, close) => void entered.push({ open, close }),
    leave(keepEmpty) {
      if (keepEmpty) writeOpenings();
      const left = entered.pop();
      if (written <= entered.length) return;
      written = entered.length;
      write(left?.close ?? "");
    },
    text(text) {
      writeOpenings();
      textLength += text.length;
      write(escapeText(text));
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

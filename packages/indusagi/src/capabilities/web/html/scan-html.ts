import { nextTurn } from "../../../core/internal.ts";

/** The events of a scan, in the order of the page. Names are in lower case. */
export interface HtmlListener {
  open(name: string, attributes: Attributes): void;
  /** A closing tag, even if no such element is open. */
  close(name: string): void;
  /** A piece of text with its entities decoded. */
  text(data: string): void;
  /** Return true to skip the rest of the page. */
  isDone?(): boolean;
}

/** The attributes of one tag that are used here; the first of a name counts. */
export type Attributes = ReadonlyMap<string, string>;

const KEPT: ReadonlySet<string> = new Set(
  "alt aria-hidden class hidden href id role src start style".split(" "),
);

/**
 * Scans a page tag by tag. It keeps no tree and no stack, so the time is proportional to the length, however deep the
 * nesting. On a long page it lets other work run every few milliseconds.
 */
export async function scanHtml(html: string, listener: HtmlListener): Promise<void> {
  const { Tokenizer } = await import("htmlparser2");
  const { fromCodePoint } = String;
  let tag = "";
  let attributes = new Map<string, string>();
  let attribute = "";
  let value = "";
  /** How many `svg` and `math` are open: only inside them a trailing slash closes a tag. */
  let foreign = 0;

  const nothing = (): void => undefined;
  const opened = (closesItself: boolean): void => {
    listener.open(tag, attributes);
    if (closesItself) listener.close(tag);
    else if (isForeign(tag)) foreign++;
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      isInForeignContext: () => foreign > 0,
      onopentagname: (start, end) => {
        tag = html.slice(start, end).toLowerCase();
        attributes = new Map();
      },
      onattribname: (start, end) => {
        // No name we keep is longer, so a very long name is dropped without lower-casing it.
        attribute = end - start > 16 ? "" : html.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata: (start, end) => {
        if (KEPT.has(attribute)) value += html.slice(start, end);
      },
      onattribentity: (codePoint) => {
        if (KEPT.has(attribute)) value += fromCodePoint(codePoint);
      },
      onattribend: () => {
        if (KEPT.has(attribute) && !attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: () => opened(false),
      onselfclosingtag: () => opened(foreign > 0 || isForeign(tag)),
      onclosetag: (start, end) => {
        const name = html.slice(start, end).toLowerCase();
        if (isForeign(name) && foreign > 0) foreign--;
        listener.close(name);
      },
      ontext: (start, end) => listener.text(html.slice(start, end)),
      ontextentity: (codePoint) => listener.text(fromCodePoint(codePoint)),
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  );
  let turnStart = performance.now();
  for (let at = 0; at < html.length && !listener.isDone?.(); at += CHUNK) {
    // Positions count from the start of the page, not of the chunk.
    tokenizer.write(html.slice(at, at + CHUNK));
    if (performance.now() - turnStart < MAX_TURN_MS) continue;
    await nextTurn();
    turnStart = performance.now();
  }
  tokenizer.end();
}

/** The clock is read after each chunk, which takes about a millisecond at most. */
const CHUNK = 2 * 1024;
const MAX_TURN_MS = 2;

const isForeign = (name: string): boolean => name === "svg" || name === "math";

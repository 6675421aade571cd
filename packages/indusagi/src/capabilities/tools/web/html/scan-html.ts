/** What a scan tells about a page, in the order it stands there. Names are in lower case. */
export interface HtmlListener {
  open(name: string, attributes: Attributes): void;
  /** A closing tag, whether or not anything of that name is open. Not heard for tags that close themselves. */
  close(name: string): void;
  /** Text with its entities decoded, in pieces. */
  text(data: string): void;
  /** Whether the rest of the page is of no interest. */
  isDone?(): boolean;
}

/** The attributes of one tag that anybody here asks for; the first of a name counts. */
export type Attributes = ReadonlyMap<string, string>;

const KEPT: ReadonlySet<string> = new Set(
  "alt aria-hidden class hidden href id role src start style".split(" "),
);

/**
 * Walks through a page from tag to tag. It keeps no tree and no stack, so no nesting, however deep, costs it anything:
 * the time is proportional to the length. Other work gets its turn between the pieces of a long page.
 */
export async function scanHtml(html: string, listener: HtmlListener): Promise<void> {
  const { Tokenizer } = await import("htmlparser2");
  const { fromCodePoint } = String;
  let tag = "";
  let attributes = new Map<string, string>();
  let attribute = "";
  let value = "";
  /** How many `svg` and `math` are open: only inside them does a trailing slash close a tag. */
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
        // No name we keep is longer: a name of a megabyte need not be lower-cased to be dropped.
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
  for (let at = 0; at < html.length && !listener.isDone?.(); at += PIECE) {
    // Positions count from the start of the page, not of the piece.
    tokenizer.write(html.slice(at, at + PIECE));
    if (at + PIECE < html.length) await nextTurn();
  }
  tokenizer.end();
}

const PIECE = 128 * 1024;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

const isForeign = (name: string): boolean => name === "svg" || name === "math";

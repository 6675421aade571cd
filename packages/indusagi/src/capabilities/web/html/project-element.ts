import type { ElementRule } from "./elements.ts";
import type { LinkBase } from "./link-base.ts";
import type { Attributes } from "./scan-html.ts";

/** The context inside an element; it inherits its parent's. */
export interface Place {
  /** Text here is removed. */
  readonly drop: boolean;
  /** Text here is the page's title. */
  readonly title: boolean;
  readonly pre: boolean;
  readonly link: boolean;
  /** Inside an article or the main part, where a footer belongs to the text. */
  readonly article: boolean;
  readonly table: "table" | "row" | "cell" | undefined;
  readonly list: { readonly ordered: boolean; next: number } | undefined;
  /** How many lists and quotes enclose this. */
  readonly nesting: number;
  /** The names of the enclosing inline tags, joined. */
  readonly marks: string;
}

/** The context at the start of a page. */
export const TOP_PLACE: Place = {
  drop: false,
  title: false,
  pre: false,
  link: false,
  article: false,
  table: undefined,
  list: undefined,
  nesting: 0,
  marks: "",
};

/** The result for one element: the context inside it, and the markup around its content, if any. */
export interface Projection {
  readonly place: Place;
  readonly open?: string;
  readonly close?: string;
  /** Written even if it is empty. */
  readonly keepEmpty?: boolean;
  /** Markup that replaces the tag. */
  readonly leaf?: string | undefined;
  /** The tag is removed, but the words before and after it stay separate. */
  readonly gap?: boolean;
}

/** Each level indents all its lines: without a limit a small page could become a huge text. */
const MAX_NESTING = 10;

/** Projects one element into the tidy page. Pure, except that it counts the items of a list. */
export function projectElement(
  rule: ElementRule,
  around: Place,
  given: { readonly attributes: Attributes; readonly links: LinkBase },
): Projection {
  const { attributes, links } = given;
  // A block inside a link or inside preformatted text would split it.
  const isTight = around.pre || around.link;
  switch (rule.kind) {
    case "drop":
    case "chrome":
      return { place: { ...around, drop: true } };
    case "title":
      return { place: { ...around, drop: true, title: !around.drop } };
    case "block":
      return isTight ? gap(around) : wrap(rule.tag, around);
    case "inline":
      return around.pre || around.marks.includes(rule.tag) ? { place: around } : wrapMark(rule.tag, around);
    case "code":
      return projectCode(attributes, around);
    case "link": {
      const href = isTight ? undefined : links.resolve(attributes.get("href"));
      return href === undefined
        ? { place: around }
        : wrap("a", { ...around, link: true }, ` href="${attribute(href)}"`);
    }
    case "pre":
      return isTight ? gap(around) : wrap("pre", { ...around, pre: true }, languageClass(attributes));
    case "list":
      return projectList(rule.tag, attributes, around);
    case "item":
      if (isTight || !around.list) return gap(around);
      return wrap("li", around, around.list.ordered ? ` value="${around.list.next++}"` : "");
    case "quote":
      if (isTight || around.nesting >= MAX_NESTING) return gap(around);
      return wrap("blockquote", { ...around, list: undefined, nesting: around.nesting + 1 });
    case "table":
      return isTight ? gap(around) : wrap("table", { ...around, table: "table", list: undefined });
    case "row":
      return around.table === "table" ? wrap("tr", { ...around, table: "row" }) : gap(around);
    case "cell":
    default:
      if (around.table !== "row") return gap(around);
      // An empty cell is still a column.
      return { ...wrap(rule.tag, { ...around, table: "cell" }), keepEmpty: true };
  }
}

export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Escapes a value for use between double quotes. */
export function attribute(value: string): string {
  return escapeText(value).replaceAll('"', "&quot;");
}

function projectCode(attributes: Attributes, around: Place): Projection {
  if (around.marks.includes("code")) return { place: around };
  if (!around.pre) return wrapMark("code", around);
  // Preformatted text stays one block; an empty tag records its language.
  const language = languageClass(attributes);
  return { place: around, leaf: language === "" ? undefined : `<code${language}></code>` };
}

function projectList(tag: "ul" | "ol", attributes: Attributes, around: Place): Projection {
  if (around.pre || around.link || around.nesting >= MAX_NESTING) return gap({ ...around, list: undefined });
  const start = Number.parseInt(attributes.get("start") ?? "1", 10);
  const list = { ordered: tag === "ol", next: Number.isSafeInteger(start) ? start : 1 };
  return wrap(tag, { ...around, list, nesting: around.nesting + 1 });
}

/** Class names of the usual highlighters: `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
function languageClass(attributes: Attributes): string {
  const names = (attributes.get("class") ?? "").slice(0, 200);
  const language = /(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s?)([\w+#.-]{1,30})/.exec(names)?.[1];
  return language === undefined ? "" : ` class="language-${language}"`;
}

function wrap(tag: string, place: Place, more = ""): Projection {
  return { place, open: `<${tag}${more}>`, close: `</${tag}>` };
}

function wrapMark(tag: string, around: Place): Projection {
  return wrap(tag, { ...around, marks: `${around.marks} ${tag}` });
}

function gap(place: Place): Projection {
  return { place, gap: true };
}

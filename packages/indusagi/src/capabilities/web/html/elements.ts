/** What happens to an element of a page in the tidy page. */
export type ElementRule =
  /** Removed with its text. */
  | { readonly kind: "drop" }
  /** Navigation and the like: removed, unless the page has nothing else. */
  | { readonly kind: "chrome" }
  /** A separate paragraph. */
  | { readonly kind: "block"; readonly tag: string }
  | { readonly kind: "inline"; readonly tag: string }
  | { readonly kind: "list"; readonly tag: "ul" | "ol" }
  | { readonly kind: "item" }
  | { readonly kind: "quote" }
  | { readonly kind: "link" }
  | { readonly kind: "pre" }
  | { readonly kind: "code" }
  | { readonly kind: "table" }
  | { readonly kind: "row" }
  | { readonly kind: "cell"; readonly tag: "td" | "th" }
  | { readonly kind: "title" };

/** The rule for an element. Without one the tag is removed and its text stays. */
export function elementRule(name: string): ElementRule | undefined {
  return RULES.get(name);
}

/** Elements that have no content and no closing tag. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set(
  "area base basefont br col command embed frame hr img input keygen link meta param source track wbr".split(
    " ",
  ),
);

/** Which open elements an opening tag closes, and inside which elements it looks for them. */
export interface ImpliedClose {
  readonly names: ReadonlySet<string>;
  readonly within: ReadonlySet<string>;
}

/** For optional closing tags: `<li>` after `<li>`, a cell after a cell, a block inside a paragraph. */
export function impliedClose(name: string): ImpliedClose | undefined {
  return IMPLIED.get(name);
}

/** A closing tag closes nothing outside of these, except for tags of the table itself. */
export const TABLE_SCOPE: ReadonlySet<string> = new Set(["table", "td", "th", "caption"]);
export const TABLE_TAGS: ReadonlySet<string> = new Set([
  "table",
  "thead",
  "tbody",
  "tfoot",
  "tr",
  "td",
  "th",
  "caption",
]);

const BLOCKS =
  "address article aside center dd details div dl dt fieldset figcaption figure form header hgroup legend main p search section summary";
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];

const RULES: ReadonlyMap<string, ElementRule> = new Map<string, ElementRule>([
  ...each(
    "annotation annotation-xml audio canvas iframe map noembed noframes object script select style svg template textarea video",
    { kind: "drop" },
  ),
  ...each("button dialog footer menuitem nav noscript", { kind: "chrome" }),
  ...each(BLOCKS, { kind: "block", tag: "div" }),
  ...each("caption", { kind: "block", tag: "div" }),
  ...HEADINGS.map((tag): [string, ElementRule] => [tag, { kind: "block", tag }]),
  ...each("b strong", { kind: "inline", tag: "strong" }),
  ...each("em i", { kind: "inline", tag: "em" }),
  ...each("ul menu dir", { kind: "list", tag: "ul" }),
  ...each("ol", { kind: "list", tag: "ol" }),
  ...each("li", { kind: "item" }),
  ...each("blockquote", { kind: "quote" }),
  ...each("a", { kind: "link" }),
  ...each("pre listing xmp plaintext", { kind: "pre" }),
  ...each("code kbd samp tt", { kind: "code" }),
  ...each("table", { kind: "table" }),
  ...each("tr", { kind: "row" }),
  ...each("td", { kind: "cell", tag: "td" }),
  ...each("th", { kind: "cell", tag: "th" }),
  ...each("title", { kind: "title" }),
]);

const IMPLIED: ReadonlyMap<string, ImpliedClose> = new Map<string, ImpliedClose>([
  ...implied(`${BLOCKS} ul menu dir ol blockquote pre table nav footer hr`, "p", "table td th caption"),
  ...implied(HEADINGS.join(" "), `p ${HEADINGS.join(" ")}`, "table td th caption"),
  ...implied("li", "li", "ul ol menu dir table td th"),
  ...implied("dt dd", "dt dd", "dl table td th"),
  ...implied("a", "a", "table td th"),
  ...implied("tr", "tr", "table"),
  ...implied("td th", "td th", "table"),
  ...implied("thead tbody tfoot", "thead tbody tfoot tr", "table"),
]);

function each(names: string, rule: ElementRule): [string, ElementRule][] {
  return names.split(" ").map((name) => [name, rule]);
}

function implied(openers: string, names: string, within: string): [string, ImpliedClose][] {
  const rule = { names: new Set(names.split(" ")), within: new Set(within.split(" ")) };
  return openers.split(" ").map((name) => [name, rule]);
}

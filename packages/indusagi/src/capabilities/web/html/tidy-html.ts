import { elementRule, impliedClose, TABLE_SCOPE, TABLE_TAGS, VOID_ELEMENTS } from "./elements.ts";
import { createLinkBase, type LinkBase } from "./link-base.ts";
import { attribute, type Place, type Projection, projectElement, TOP_PLACE } from "./project-element.ts";
import { type Attributes, type HtmlListener, scanHtml } from "./scan-html.ts";
import { createTidyOutput, type TidyOutput } from "./tidy-output.ts";

export interface TidyOptions {
  /** The base of relative links. */
  readonly baseUrl: string;
  /** Keep navigation, footers, hidden parts and the like. */
  readonly keepChrome: boolean;
}

/** A page reduced to its text and structure: few tags, all closed, limited in depth, number and length. */
export interface TidyPage {
  readonly title: string;
  readonly html: string;
  /** The page had more text than this. */
  readonly isCut: boolean;
  /** How many characters of text were kept, and how many removed. */
  readonly keptText: number;
  readonly droppedText: number;
}

/** Makes a tidy page of any HTML. Never throws; the time is proportional to the length. */
export async function tidyHtml(html: string, options: TidyOptions): Promise<TidyPage> {
  const reader = createTidyReader(options);
  await scanHtml(html, reader);
  return reader.finish();
}

interface OpenElement {
  readonly name: string;
  readonly place: Place;
  readonly keepEmpty: boolean;
}

function createTidyReader(options: TidyOptions): HtmlListener & { finish(): TidyPage } {
  const output = createTidyOutput();
  const links = createLinkBase(options.baseUrl);
  const elements = createOpenElements((element) => output.leave(element.keepEmpty));
  let title = "";
  let droppedText = 0;
  const here = (): Place => elements.top?.place ?? TOP_PLACE;

  const project = (name: string, attributes: Attributes, around: Place): Projection => {
    const isSecondTitle = name === "title" && title !== "";
    if (around.drop || isSecondTitle || isChrome(name, attributes, around, options)) {
      return { place: { ...around, drop: true } };
    }
    const rule = elementRule(name);
    if (!rule || rule.kind === "chrome") return { place: around, gap: rule !== undefined };
    if (!output.hasRoom && rule.kind !== "drop") return { place: around, gap: true };
    return projectElement(rule, around, { attributes, links });
  };

  return {
    open(name, attributes) {
      if (VOID_ELEMENTS.has(name)) return openVoid(name, attributes, { place: here(), output, links });
      if (!elements.makeRoom(name)) return output.space();
      const made = project(name, attributes, here());
      const article = made.place.article || name === "article" || name === "main";
      if (made.gap) output.space();
      if (made.leaf !== undefined) output.leaf(made.leaf);
      elements.push({ name, place: { ...made.place, article }, keepEmpty: made.keepEmpty === true });
      output.enter(made.open ?? "", made.close ?? "");
    },
    close: (name) => elements.close(name),
    isDone: () => output.isFull,
    text(data) {
      const place = here();
      if (place.title) title += data;
      else if (place.drop) droppedText += data.length;
      else if (place.pre) output.verbatim(data);
      else if (/\S/.test(data)) output.text(data.replaceAll(/\s+/g, " "));
      else output.space();
    },
    finish() {
      elements.closeAll();
      return { title, html: output.html(), isCut: output.isFull, keptText: output.textLength, droppedText };
    },
  };
}

/** Real pages nest about thirty deep. The text of deeper elements is kept, but not their structure. */
const MAX_DEPTH = 150;

/** The stack of open elements. Its depth is limited, so searching it takes limited time. */
interface OpenElements {
  readonly top: OpenElement | undefined;
  /** Closes the elements that a tag of this name closes implicitly. Returns whether another element may be pushed. */
  makeRoom(name: string): boolean;
  push(element: OpenElement): void;
  /** Closes the nearest element of this name and everything inside it, if there is one in scope. */
  close(name: string): void;
  closeAll(): void;
}

/** Creates an empty stack. `onPop` is called for each element while it is still the top. */
function createOpenElements(onPop: (element: OpenElement) => void): OpenElements {
  const stack: OpenElement[] = [];
  /** How many of each name are open, so a tag that closes nothing needs no search. */
  const counts = new Map<string, number>();
  /** Tags opened beyond the depth limit; the same number of closing tags is ignored. */
  let beyond = 0;

  const popTo = (depth: number): void => {
    for (let top = stack.at(-1); top && stack.length > depth; top = stack.at(-1)) {
      onPop(top);
      stack.pop();
      counts.set(top.name, (counts.get(top.name) ?? 1) - 1);
    }
  };
  /** The index of the nearest element with one of the names, up to the nearest of `within`; -1 if there is none. */
  const nearest = (names: ReadonlySet<string>, within: ReadonlySet<string>): number => {
    if (![...names].some((name) => (counts.get(name) ?? 0) > 0)) return -1;
    for (let index = stack.length - 1; index >= 0; index--) {
      const name = stack[index]?.name ?? "";
      if (names.has(name)) return index;
      if (within.has(name)) return -1;
    }
    return -1;
  };

  return {
    get top() {
      return stack.at(-1);
    },
    makeRoom(name) {
      const rule = impliedClose(name);
      const index = rule && beyond === 0 ? nearest(rule.names, rule.within) : -1;
      if (index !== -1) popTo(index);
      if (stack.length < MAX_DEPTH) return true;
      beyond++;
      return false;
    },
    push(element) {
      stack.push(element);
      counts.set(element.name, (counts.get(element.name) ?? 0) + 1);
    },
    close(name) {
      if (beyond > 0) {
        beyond--;
        return;
      }
      const within = TABLE_TAGS.has(name) ? NO_SCOPE : TABLE_SCOPE;
      const index = nearest(new Set([name]), within);
      if (index !== -1) popTo(index);
    },
    closeAll: () => popTo(0),
  };
}

const NO_SCOPE: ReadonlySet<string> = new Set();

interface VoidSurroundings {
  readonly place: Place;
  readonly output: TidyOutput;
  readonly links: LinkBase;
}

function openVoid(name: string, attributes: Attributes, { place, output, links }: VoidSurroundings): void {
  if (name === "base") return links.rebase(attributes.get("href"));
  if (place.drop || !output.hasRoom) return;
  if (name === "img") {
    const alt = (attributes.get("alt") ?? "").slice(0, 500).replaceAll(/\s+/g, " ").trim();
    const src = links.resolve(attributes.get("src"));
    // An image without an alt text is useless in Markdown.
    if (!place.pre && alt !== "" && src) output.leaf(`<img alt="${attribute(alt)}" src="${attribute(src)}">`);
    return;
  }
  if (name !== "br" && name !== "hr") return;
  if (place.pre) return output.verbatim("\n");
  if (place.link || place.table !== undefined) return output.space();
  output.breakLine(name);
}

/** Whether an element is not content: menus, page footers, dialogs, and what the page itself hides. */
function isChrome(name: string, attributes: Attributes, around: Place, options: TidyOptions): boolean {
  if (options.keepChrome) return false;
  if (elementRule(name)?.kind === "chrome") return !(name === "footer" && around.article);
  if (name === "a" && SELF_LINK.test((attributes.get("class") ?? "").slice(0, 200))) return true;
  if (CHROME_ROLES.has(attributes.get("role") ?? "") || attributes.get("aria-hidden") === "true") return true;
  const hidden = attributes.get("hidden");
  if (hidden !== undefined && hidden !== "until-found") return true;
  return /(display\s*:\s*none|visibility\s*:\s*hidden)/i.test((attributes.get("style") ?? "").slice(0, 500));
}

/** The sign next to a heading that links to the heading itself. */
const SELF_LINK = /(?:^|\s)(?:anchor|anchor-link|hash-link|header-anchor|headerlink)(?:\s|$)/;

const CHROME_ROLES: ReadonlySet<string> = new Set(
  "alertdialog contentinfo dialog menu menubar navigation search toolbar".split(" "),
);

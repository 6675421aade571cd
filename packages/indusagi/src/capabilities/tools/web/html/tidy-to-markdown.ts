import { markdownTables } from "./markdown-tables.ts";

/** The little of a DOM node that the rules below look at. */
export interface MarkupNode {
  readonly nodeName: string;
  readonly parentNode: MarkupNode | null;
  readonly firstChild: MarkupNode | null;
  readonly nextSibling: MarkupNode | null;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  querySelector(selectors: string): MarkupNode | null;
}

/**
 * Markdown of a tidy page. Only for tidy pages: the parser and the converter behind it recurse, and take very long
 * over hostile ones.
 */
export async function tidyToMarkdown(html: string): Promise<string> {
  const { default: TurndownService } = await import("turndown");
  const service = new TurndownService({
    headingStyle: "atx",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "*",
    hr: "---",
  });
  // Backslashes before every underscore would keep readers from finding names; nobody renders this text.
  service.escape = (text) => text;
  service.addRule("listItem", { filter: "li", replacement: (content, node) => listItem(content, asMarkup(node)) });
  service.addRule("codeBlock", { filter: "pre", replacement: (_content, node) => codeBlock(asMarkup(node)) });
  for (const [name, rule] of markdownTables()) {
    service.addRule(name, {
      filter: [...rule.tags] as never,
      replacement: (content, node) => rule.replace(content, asMarkup(node)),
    });
  }
  return service.turndown(html);
}

/** The library's types speak of the browser's DOM, which this project's compiler does not know. */
function asMarkup(node: unknown): MarkupNode {
  return node as MarkupNode;
}

/** The number was counted while tidying: finding it here would mean counting all items before each item. */
function listItem(content: string, node: MarkupNode): string {
  const number = node.getAttribute("value");
  const marker = number === null ? "- " : `${number}. `;
  const text = content.replaceAll(/^\n+|\n+$/g, "").replaceAll("\n", `\n${" ".repeat(marker.length)}`);
  return `${marker}${text}\n`;
}

function codeBlock(node: MarkupNode): string {
  const text = node.textContent.replace(/^\n/, "").replace(/\n$/, "");
  const named = node.getAttribute("class") ?? node.querySelector("code[class]")?.getAttribute("class") ?? "";
  const language = /language-(\S+)/.exec(named)?.[1] ?? "";
  // The fence must be longer than any run of backticks inside.
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

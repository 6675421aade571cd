import { type MarkupNode, markdownTables } from "./markdown-tables.ts";

/**
 * Converts a tidy page to Markdown. Only for tidy pages: the parser and the converter recurse, and would take very long
 * for a hostile page.
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
  // No backslashes before underscores and the like: the text is read, not rendered, and names must stay searchable.
  service.escape = (text) => text;
  service.addRule("listItem", {
    filter: "li",
    replacement: (content, node) => listItem(content, asMarkup(node)),
  });
  service.addRule("code", { filter: "code", replacement: (content) => inlineCode(content) });
  service.addRule("codeBlock", { filter: "pre", replacement: (_content, node) => codeBlock(asMarkup(node)) });
  for (const [name, rule] of markdownTables()) {
    service.addRule(name, {
      filter: [...rule.tags] as never,
      replacement: (content, node) => rule.replace(content, asMarkup(node)),
    });
  }
  // Remove the indentation of blank lines.
  return service.turndown(html).replaceAll(/^[ \t]+$/gm, "");
}

/** The library's types use the browser's DOM, which is not among this project's types. */
function asMarkup(node: unknown): MarkupNode {
  return node as MarkupNode;
}

/** The tidy page has the number of each item: counting here would be quadratic. */
function listItem(content: string, node: MarkupNode): string {
  const number = node.getAttribute("value");
  const marker = number === null ? "- " : `${number}. `;
  const text = content.trim().replaceAll("\n", `\n${" ".repeat(marker.length)}`);
  return `${marker}${text}\n`;
}

function inlineCode(content: string): string {
  if (content === "") return "";
  const fence = "`".repeat(longestRun(content) + 1);
  const pad = content.startsWith("`") || content.endsWith("`") ? " " : "";
  return `${fence}${pad}${content.replaceAll(/\s+/g, " ")}${pad}${fence}`;
}

function codeBlock(node: MarkupNode): string {
  const text = node.textContent.replace(/^\n/, "").replace(/\n$/, "");
  const named = node.getAttribute("class") ?? node.querySelector("code[class]")?.getAttribute("class") ?? "";
  const language = /language-(\S+)/.exec(named)?.[1] ?? "";
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

/** A fence must be longer than any run of backticks inside it. */
function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

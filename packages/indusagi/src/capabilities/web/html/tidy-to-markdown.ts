import { createRequire } from "node:module";
import type * as nodeThreads from "node:worker_threads";
import { TextWorker } from "../../text-worker.ts";
import { type MarkupNode, markdownTables } from "./markdown-tables.ts";

/**
 * Converts a tidy page to Markdown. Only for tidy pages: the parser and the converter recurse, and would take very long
 * for a hostile page. Even a tidy page takes tenths of a second, so a worker thread converts it.
 */
export async function tidyToMarkdown(html: string): Promise<string> {
  const library = libraryFile();
  if (library !== undefined) return (await worker.ask({ html, library } satisfies Request)) as string;
  const { default: TurndownService } = await import("turndown");
  return convertTidyPage(html, TurndownService, markdownTables);
}

/** The part of the Turndown library that is used. */
type TurndownClass = new (options: { readonly [name: string]: string }) => Turndown;

interface Turndown {
  escape: (text: string) => string;
  addRule(name: string, rule: TurndownRule): unknown;
  turndown(html: string): string;
}

interface TurndownRule {
  readonly filter: string | string[];
  /** The library's own types use the browser's DOM, which is not among this project's types. */
  readonly replacement: (content: string, node: MarkupNode) => string;
}

/** Converts a tidy page in this thread. Part of a worker's text: it must not use anything from outside its own braces. */
export function convertTidyPage(
  html: string,
  TurndownService: TurndownClass,
  tables: typeof markdownTables,
): string {
  const service = new TurndownService({
    headingStyle: "atx",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "*",
    hr: "---",
  });
  // No backslashes before underscores and the like: the text is read, not rendered, and names must stay searchable.
  service.escape = (text) => text;
  service.addRule("listItem", { filter: "li", replacement: listItem });
  service.addRule("code", { filter: "code", replacement: inlineCode });
  service.addRule("codeBlock", { filter: "pre", replacement: (_content, node) => codeBlock(node) });
  for (const [name, { tags, replace }] of tables())
    service.addRule(name, { filter: [...tags], replacement: replace });

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
    const named =
      node.getAttribute("class") ?? node.querySelector("code[class]")?.getAttribute("class") ?? "";
    const language = /language-(\S+)/.exec(named)?.[1] ?? "";
    const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
    return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
  }

  /** A fence must be longer than any run of backticks inside it. */
  function longestRun(text: string): number {
    return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  }

  // Remove the indentation of blank lines.
  return service.turndown(html).replaceAll(/^[ \t]+$/gm, "");
}

/** The file that the worker loads. Nothing in a bundle, where the library has no file: then this thread converts. */
function libraryFile(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("turndown");
  } catch {
    return undefined;
  }
}

interface Request {
  readonly html: string;
  readonly library: string;
}

interface WorkerParts {
  readonly convertTidyPage: typeof convertTidyPage;
  readonly markdownTables: typeof markdownTables;
}

/** The worker's whole program. Part of its text: it must not use anything from outside its own braces. */
function work(parts: WorkerParts, load: NodeJS.Require): void {
  const { parentPort } = load("node:worker_threads") as typeof nodeThreads;
  parentPort?.on("message", ({ html, library }: Request) => {
    const turndown = load(library) as TurndownClass;
    parentPort.postMessage(parts.convertTidyPage(html, turndown, parts.markdownTables), []);
  });
}

const worker = new TextWorker(
  `(${String(work)})({ convertTidyPage: ${String(convertTidyPage)}, markdownTables: ${String(markdownTables)} }, require);`,
);

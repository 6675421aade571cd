import { type TidyPage, tidyHtml } from "./tidy-html.ts";
import { tidyToMarkdown } from "./tidy-to-markdown.ts";

export interface ReadablePage {
  readonly title: string;
  readonly markdown: string;
  /** The page had more text than this. */
  readonly isCut: boolean;
}

/** If less text than this is kept, what was removed as chrome may be the content. */
const LITTLE_TEXT = 200;

/**
 * Converts any HTML to readable Markdown: keeps headings, absolute links, lists, tables and code; removes scripts,
 * styles, menus and hidden parts. Never throws, and a hostile page takes no longer than a large normal one.
 */
export async function htmlToMarkdown(html: string, baseUrl: string): Promise<ReadablePage> {
  const tidy = await tidyHtml(html, { baseUrl, keepChrome: false });
  const isThin = tidy.keptText < LITTLE_TEXT && tidy.droppedText > tidy.keptText;
  const page = isThin ? await tidyHtml(html, { baseUrl, keepChrome: true }) : tidy;
  return { title: page.title, markdown: await markdownOf(page), isCut: page.isCut };
}

async function markdownOf(page: TidyPage): Promise<string> {
  try {
    return await tidyToMarkdown(page.html);
  } catch {
    // The libraries convert every tidy page we know of; should one fail, show its text.
    return plainText(page.html);
  }
}

/** The text of a tidy page. Its markup is our own, so a simple expression finds all tags. */
function plainText(html: string): string {
  const text = html
    .replaceAll(/<[^>]*>/g, "\n")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

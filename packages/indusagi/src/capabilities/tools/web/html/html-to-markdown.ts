import { type TidyPage, tidyHtml } from "./tidy-html.ts";
import { tidyToMarkdown } from "./tidy-to-markdown.ts";

/** A page as a reader wants it. */
export interface ReadablePage {
  readonly title: string;
  readonly markdown: string;
  /** The page had more text than this. */
  readonly isCut: boolean;
}

/** With less text than this left, what was taken for chrome may have been the page. */
const LITTLE_TEXT = 200;

/**
 * Turns any HTML into readable Markdown: headings, absolute links, lists, tables and code kept; scripts, styles,
 * menus and hidden parts left out. Never throws, and blocks no longer than a large honest page would make it.
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
    // The libraries take every tidy page we know of; should they stumble over one, its words still count.
    return plainText(page.html);
  }
}

/** The words of a tidy page: its markup is our own, so its tags can be taken off by their shape. */
function plainText(html: string): string {
  const words = html
    .replaceAll(/<[^>]*>/g, "\n")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return words
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

import { MAX_ENTRY_BYTES } from "./entry-file.ts";

/** A change of the shape of these files needs another number. */
const FORMAT = 1;

/** The text of a file with one list. If not all items fit, it has the first of them. */
export function listText(member: string, items: readonly unknown[]): string {
  for (let count = items.length; ; count = Math.floor(count / 2)) {
    const text = `${JSON.stringify({ format: FORMAT, [member]: items.slice(0, count) })}\n`;
    if (Buffer.byteLength(text) <= MAX_ENTRY_BYTES || count === 0) return text;
  }
}

/** The list in such a text, without the items that are damaged. Undefined if there is none. */
export function parseList<Item>(
  member: string,
  text: string,
  isItem: (value: unknown) => value is Item,
): Item[] | undefined {
  try {
    const { format, [member]: items } = JSON.parse(text) as { readonly [member: string]: unknown };
    return format === FORMAT && Array.isArray(items) ? items.filter(isItem) : undefined;
  } catch {
    return undefined;
  }
}

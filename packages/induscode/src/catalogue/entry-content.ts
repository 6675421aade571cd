import type { CatalogueEntry, KnownListing } from "./catalogue-entry.ts";
import { MAX_ENTRY_BYTES } from "./entry-file.ts";
import { entryText } from "./entry-text.ts";

export interface EntryContent {
  readonly content: Buffer;
  /** What the file has of the entry. */
  readonly kept: "all" | "a part" | "no listing";
}

/** The content of a file. If all is too large: without the resources, then without the prompts, at last without the listing. */
export function entryContent(launch: string, entry: CatalogueEntry): EntryContent {
  const { listing, ...rest } = entry;
  const variants: readonly CatalogueEntry[] = listing
    ? [
        entry,
        { ...rest, listing: without(listing, "resources", "templates") },
        { ...rest, listing: without(listing, "resources", "templates", "prompts") },
      ]
    : [];
  for (const variant of variants) {
    const content = Buffer.from(entryText(launch, variant));
    if (content.length <= MAX_ENTRY_BYTES) return { content, kept: variant === entry ? "all" : "a part" };
  }
  return { content: Buffer.from(entryText(launch, rest)), kept: listing ? "no listing" : "all" };
}

/** A list that is left out is not known in the next run. */
function without(
  listing: KnownListing,
  ...kinds: readonly ("prompts" | "resources" | "templates")[]
): KnownListing {
  return { ...listing, ...Object.fromEntries(kinds.map((kind) => [kind, undefined])) };
}

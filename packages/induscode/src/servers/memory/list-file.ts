import { type StoreSchema, versionedJson } from "../../state/index.ts";
import { MAX_ENTRY_BYTES } from "./entry-file.ts";

/** A file with one list. Damaged items are skipped. If not all items fit, the first are kept. */
export function listSchema<Item>(
  member: string,
  isItem: (value: unknown) => value is Item,
): StoreSchema<readonly Item[]> {
  return versionedJson<readonly Item[]>({
    format: 1,
    parse: ({ [member]: items }) => (Array.isArray(items) ? items.filter(isItem) : undefined),
    members: (items) => ({ [member]: items }),
    damage: "is damaged",
    maxBytes: MAX_ENTRY_BYTES,
    smaller: (items) => (items.length > 0 ? items.slice(0, Math.floor(items.length / 2)) : undefined),
  });
}

import { isRecord } from "../../core/internal.ts";
import type { CacheHint, ItemKind, ListedItem, ServerSession } from "../contract/index.ts";
import { readPages } from "../endpoint/index.ts";
import { type ItemRequestOptions, requestRounds } from "./read-item.ts";

const MAX_ITEMS = 20_000;

/** How each list is requested. A server without the capability is not asked, and its list is empty. */
export const LISTS: {
  readonly [kind in ItemKind]: { readonly [part in "method" | "member" | "capability"]: string };
} = {
  prompts: { method: "prompts/list", member: "prompts", capability: "prompts" },
  resources: { method: "resources/list", member: "resources", capability: "resources" },
  templates: { method: "resources/templates/list", member: "resourceTemplates", capability: "resources" },
};

export interface ListItemsOptions
  extends Pick<ItemRequestOptions, "signal" | "caller" | "extensions" | "meta"> {
  /** The server's name, for messages. */
  readonly server: string;
  /** For all pages together. */
  readonly timeoutMs: number;
  /** Default 20,000. */
  readonly maxItems?: number;
}

export interface ItemList {
  readonly items: readonly ListedItem[];
  /** Why the list is incomplete. */
  readonly note?: string;
  /** How long the server says that the list may be used. */
  readonly hint?: CacheHint | undefined;
}

/** Reads all pages of one of a server's lists. Items that are not objects are left out. Rejects with a fault. */
export async function listItems(
  session: ServerSession,
  kind: ItemKind,
  options: ListItemsOptions,
): Promise<ItemList> {
  const { method, member, capability } = LISTS[kind];
  const { server, timeoutMs, maxItems = MAX_ITEMS, ...request } = options;
  if (session.capabilities[capability] === undefined) return { items: [] };
  const items: ListedItem[] = [];
  const { isComplete, flaw, hint } = await readPages(
    (params, remainingMs) =>
      requestRounds(session, method, params, {
        ...request,
        timeoutMs: remainingMs,
        totalMs: remainingMs,
      }),
    {
      server,
      method,
      member,
      timeoutMs,
      onPage: (page) => {
        items.push(...page.filter(isRecord).slice(0, maxItems - items.length));
        return items.length < maxItems;
      },
    },
  );
  if (isComplete) return { items, hint };
  return { items, note: flaw ?? `the list is longer than the ${items.length} items that were read` };
}

import { isRecord } from "../../core/internal.ts";
import { declaredFor } from "../content/index.ts";
import {
  type CacheHint,
  type ExtensionKey,
  type Extensions,
  type ItemKind,
  isProtocolFault,
  type ListedItem,
  type ServerEndpoint,
  type ServerListing,
  type ServerSession,
} from "../contract/index.ts";
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

interface ListItemsOptions extends Pick<ItemRequestOptions, "signal" | "caller" | "extensions" | "meta"> {
  /** The server's name, for messages. */
  readonly server: string;
  /** For all pages together. */
  readonly timeoutMs: number;
  /** Default 20,000. */
  readonly maxItems?: number;
}

interface ItemList {
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

/** At most this many items of one kind are read. */
const MAX_LISTED = 5_000;
/** Timeout for one kind, all pages together. */
const LIST_MS = 30_000;

/**
 * Everything that a connected server offers; `extensions`: to clients that declared these. Rejects if its tools cannot be listed; another list that cannot be read is
 * empty, because one kind must not hide the others.
 */
export async function listServer(
  endpoint: ServerEndpoint,
  extensions: ExtensionKey = "",
): Promise<ServerListing> {
  await endpoint.listing(extensions);
  const session = endpoint.session();
  const { id } = endpoint.config;
  const declared = declaredFor(endpoint.listedFor(extensions));
  const read = (kind: ItemKind): Promise<ListOrNothing> => listOrNothing(session, id, kind, declared);
  const lists = await Promise.all([read("prompts"), read("resources"), read("templates")]);
  const { capabilities, instructions, serverInfo } = session;
  endpoint.session(); // Throws if the connection has ended: then the lists are empty for that reason.
  const { tools } = await endpoint.listing(extensions); // They may have changed in the meantime.
  const [prompts, resources, templates] = lists;
  const unread = lists.flatMap(({ kind, isRead }) => (isRead ? [] : [kind]));
  return {
    tools: tools.map(({ definition }) => definition),
    prompts: prompts.items,
    resources: resources.items,
    templates: templates.items,
    ...(instructions === undefined ? {} : { instructions }),
    capabilities,
    serverInfo,
    ...(unread.length > 0 && { unread }),
  };
}

interface ListOrNothing {
  readonly kind: ItemKind;
  readonly items: readonly ListedItem[];
  /** False if the server did not answer. An error is an answer: the server has no such list. */
  readonly isRead: boolean;
}

async function listOrNothing(
  session: ServerSession,
  server: string,
  kind: ItemKind,
  extensions: Extensions | undefined,
): Promise<ListOrNothing> {
  try {
    const limits = { timeoutMs: LIST_MS, maxItems: MAX_LISTED };
    const { items } = await listItems(session, kind, { server, extensions, ...limits });
    return { kind, items, isRead: true };
  } catch (thrown) {
    return { kind, items: [], isRead: !(isProtocolFault(thrown) && thrown.kind === "timeout") };
  }
}

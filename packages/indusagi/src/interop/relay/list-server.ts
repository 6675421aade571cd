import { declaredFor } from "../content/index.ts";
import {
  type ExtensionKey,
  type Extensions,
  type ItemKind,
  isProtocolFault,
  type ListedItem,
  type ServerEndpoint,
  type ServerListing,
  type ServerSession,
} from "../contract/index.ts";
import { listItems } from "./list-items.ts";

/** At most this many items of one kind are read. */
const MAX_ITEMS = 5_000;
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
    const limits = { timeoutMs: LIST_MS, maxItems: MAX_ITEMS };
    const { items } = await listItems(session, kind, { server, extensions, ...limits });
    return { kind, items, isRead: true };
  } catch (thrown) {
    return { kind, items: [], isRead: !(isProtocolFault(thrown) && thrown.kind === "timeout") };
  }
}

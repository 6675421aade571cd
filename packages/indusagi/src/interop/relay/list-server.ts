import type {
  ItemKind,
  ListedItem,
  ServerEndpoint,
  ServerListing,
  ServerSession,
} from "../contract/index.ts";
import { listItems } from "./list-items.ts";

/** Items of one kind that are read. */
const MAX_ITEMS = 5_000;
/** For one kind, all pages together. */
const LIST_MS = 30_000;

/**
 * Everything that a connected server offers. Rejects if its tools cannot be listed; another list that cannot be read is
 * empty, because one kind must not hide the others.
 */
export async function listServer(endpoint: ServerEndpoint): Promise<ServerListing> {
  await endpoint.listing();
  const session = endpoint.session();
  const { id } = endpoint.config;
  const [prompts, resources, templates] = await Promise.all([
    listOrNothing(session, id, "prompts"),
    listOrNothing(session, id, "resources"),
    listOrNothing(session, id, "templates"),
  ]);
  const { capabilities, instructions, serverInfo } = session;
  endpoint.session(); // Throws if the connection has ended: then the lists are empty for that reason.
  const { tools } = await endpoint.listing(); // They may have changed in the meantime.
  return {
    tools: tools.map(({ definition }) => definition),
    prompts,
    resources,
    templates,
    ...(instructions === undefined ? {} : { instructions }),
    capabilities,
    serverInfo,
  };
}

async function listOrNothing(
  session: ServerSession,
  server: string,
  kind: ItemKind,
): Promise<readonly ListedItem[]> {
  try {
    const { items } = await listItems(session, kind, { server, timeoutMs: LIST_MS, maxItems: MAX_ITEMS });
    return items;
  } catch {
    return [];
  }
}

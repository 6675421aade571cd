import type { ListedItem, ServerEndpoint, ServerListing, ServerSession } from "../../contract/index.ts";
import { readPages } from "./read-pages.ts";

/** Items of one kind that are read. */
const MAX_ITEMS = 5_000;
/** For one kind, all pages together. */
const LIST_MS = 30_000;

/** The lists beside the tools. A server without the capability is not asked. */
const KINDS = {
  prompts: { method: "prompts/list", member: "prompts", capability: "prompts" },
  resources: { method: "resources/list", member: "resources", capability: "resources" },
  templates: { method: "resources/templates/list", member: "resourceTemplates", capability: "resources" },
} as const;

/**
 * Everything that a connected server offers. Rejects if its tools cannot be listed; another list that cannot be read is
 * empty, because one kind must not hide the others.
 */
export async function listServer(endpoint: ServerEndpoint): Promise<ServerListing> {
  await endpoint.listing();
  const session = endpoint.session();
  const { id } = endpoint.config;
  const [prompts, resources, templates] = await Promise.all([
    listKind(session, id, "prompts"),
    listKind(session, id, "resources"),
    listKind(session, id, "templates"),
  ]);
  const { capabilities, instructions } = session;
  const { tools } = await endpoint.listing(); // They may have changed in the meantime.
  return {
    tools: tools.map(({ definition }) => definition),
    prompts,
    resources,
    templates,
    ...(instructions === undefined ? {} : { instructions }),
    capabilities,
  };
}

async function listKind(
  session: ServerSession,
  server: string,
  kind: keyof typeof KINDS,
): Promise<readonly ListedItem[]> {
  const { method, member, capability } = KINDS[kind];
  if (session.capabilities[capability] === undefined) return [];
  const items: ListedItem[] = [];
  try {
    await readPages(
      (params, remainingMs) =>
        session.request(method, params, { timeoutMs: remainingMs, totalMs: remainingMs }),
      {
        server,
        method,
        member,
        timeoutMs: LIST_MS,
        onPage: (page) => {
          items.push(...page.filter(isItem).slice(0, MAX_ITEMS - items.length));
          return items.length < MAX_ITEMS;
        },
      },
    );
    return items;
  } catch {
    return [];
  }
}

function isItem(value: unknown): value is ListedItem {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { Caller } from "../../../runtime/index.ts";
import type { ServerItems } from "../../contract/index.ts";
import { parseNamespacedUri, type ResourceRef } from "../../naming/index.ts";
import type { ItemLists } from "../lists/item-lists.ts";
import type { ResourceNames } from "../names/resource-names.ts";
import { ambiguous, clashFailure, noSuchServer, notFound } from "./relay-failures.ts";
import { isInScope, type RelayScope } from "./relay-scope.ts";

/** What a URI is looked for in. */
export interface LocateOptions {
  readonly lists: ItemLists;
  readonly names: ResourceNames;
  readonly scope: RelayScope;
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
  readonly caller: Caller;
}

/** A URI that is in no list is looked for again in lists that are older than this. */
const MAX_AGE_MS = 5_000;

/**
 * Finds the server that a client means with a URI: the server in a namespaced URI, else the one that lists it, else the one
 * that gave the client a link to it, else the one with a template for it. Never asks servers to read it in turn. Rejects with
 * the answer for the client if there is no such server, or more than one.
 */
export async function locateResource(uri: string, options: LocateOptions): Promise<ResourceRef> {
  const { scope, caller } = options;
  const named = scope.only === undefined ? parseNamespacedUri(uri) : { server: scope.only, uri };
  const server = named ? named.server : ((await havingIt(uri, options)) ?? (await forTemplate(uri, options)));
  if (!isInScope(scope, server, caller)) throw notFound(uri, []);
  // A client may write any name there; as the name of a server it would be recorded, and a label of metrics.
  if (!options.lists.has(server)) throw noSuchServer(uri, server);
  return named ?? { server, uri };
}

/** The one server that lists a URI, or that gave this client a link to it. Nothing is waited for if one is known. */
async function havingIt(uri: string, options: LocateOptions): Promise<string | undefined> {
  const { names, caller, scope } = options;
  const find = (): string[] => [...new Set([...names.ownersOf(uri), ...names.linkedBy(caller, uri)])];
  let owners = find();
  for (const maxAgeMs of [Number.POSITIVE_INFINITY, MAX_AGE_MS]) {
    if (owners.length > 0) break;
    await listsOf(options, "resources", maxAgeMs);
    owners = find();
  }
  if (owners.length > 1) names.clash(uri, owners);
  const clashing = names.clashing(uri);
  const seen = clashing.filter((server) => isInScope(scope, server, caller));
  if (clashing.length > 0) throw clashFailure(uri, seen);
  return owners[0];
}

/** The one server with a template that a URI can come from. */
async function forTemplate(uri: string, options: LocateOptions): Promise<string> {
  const { names, scope, caller } = options;
  const templates = await listsOf(options, "templates", MAX_AGE_MS);
  const matching = names.templatesOf(uri);
  const servers = [...new Set(matching.flatMap(([, owners]) => owners))].filter((each) =>
    isInScope(scope, each, caller),
  );
  const [server, another] = servers;
  if (server === undefined) throw notFound(uri, unlisted(templates, options));
  // An expansion of a template that clashed once may have been meant for the other server.
  const isClear = matching.some(([template]) => names.clashing(template).length === 0);
  if (another !== undefined || !isClear) throw ambiguous(uri, servers);
  return server;
}

function listsOf(
  { lists, patienceMs, signal }: LocateOptions,
  kind: "resources" | "templates",
  maxAgeMs: number,
): Promise<readonly ServerItems[]> {
  return lists.all(kind, { maxAgeMs, patienceMs, ...(signal && { signal }) });
}

function unlisted(lists: readonly ServerItems[], { scope, caller }: LocateOptions): readonly string[] {
  return lists
    .filter(({ fault, server }) => fault && isInScope(scope, server, caller))
    .map(({ server }) => server);
}

import type { Caller } from "../../../runtime/index.ts";
import { extensionKey, withoutEnvelope } from "../../content/index.ts";
import type {
  ListRequest,
  ProviderRequest,
  RawResult,
  ResourceProvider,
  ServerItems,
} from "../../contract/index.ts";
import { parseNamespacedUri, parseSkillClash, type ResourceRef } from "../../naming/index.ts";
import {
  isSuspended,
  type Renaming,
  renameInContents,
  renameInItem,
  suspended,
} from "../names/rename-uris.ts";
import {
  ambiguous,
  clashFailure,
  noSuchServer,
  notFound,
  passedOn,
  passOn,
  type RelayParts,
} from "./relay-parts.ts";
import { isInScope, type RelayScope, scopeChanges } from "./relay-scope.ts";

/** The resources and templates of the servers in a scope. Lists have one page: several clients read only the first. */
export function resourceProvider(parts: RelayParts, scope: RelayScope): ResourceProvider {
  const listed = async (kind: "resources" | "templates", request: ProviderRequest): Promise<RawResult[]> => {
    await parts.begun();
    const { signal, caller, meta } = request;
    const patienceMs = parts.patienceMs(caller.client);
    const isVisible = (server: string): boolean => isInScope(scope, server, caller);
    const { only } = scope;
    const extensions = extensionKey(caller.can.extensions);
    const asking = { signal, patienceMs, meta, only, isVisible, extensions, isShown: true };
    const lists = await parts.lists.all(kind, asking);
    return lists
      .filter(({ server }) => isVisible(server))
      .flatMap(({ server, items, received }) =>
        scope.only === undefined
          ? items.map((item) => renameInItem(item, parts.names.inLists(server)))
          : received,
      );
  };
  const changes = scopeChanges(scope);
  return {
    list: async (_list: ListRequest, request) => {
      const resources = await listed("resources", request);
      return { resources, ...parts.hints.items("resources", scope, request.caller) };
    },
    templates: async (_list, request) => {
      const resourceTemplates = await listed("templates", request);
      return { resourceTemplates, ...parts.hints.items("templates", scope, request.caller) };
    },
    read: async (uri, request) => {
      const ref = await locate(parts, scope, uri, request);
      const reading = parts.relay.readResource(
        ref.server,
        ref.uri,
        passedOn(parts, { scope, server: ref.server }, request),
      );
      const answer = await passOn(reading, request.caller);
      const received = withoutEnvelope(answer);
      if (isSuspended(answer))
        return suspended(
          received,
          scope.only === undefined ? parts.names.inResults(ref.server, request.caller) : undefined,
        );
      const result = parts.hints.read(ref.server, received, scope, request.caller);
      return scope.only === undefined ? renameInContents(result, asAsked(parts, ref, uri, request)) : result;
    },
    onListChanged: (listener) => {
      const stops = [
        parts.lists.onChange((kind) => {
          if (kind !== "prompts") listener();
        }),
        ...(scope.only === undefined ? [parts.names.onClash(listener)] : []),
        changes.add(listener),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/**
 * Finds the server of a URI: the server in a namespaced URI, else the one that lists it, else the one that gave the client a
 * link to it, else the one with a template for it. Never tries servers one after the other. Rejects with the answer for the
 * client if there is no such server, or more than one.
 */
export async function locate(
  parts: RelayParts,
  scope: RelayScope,
  uri: string,
  { caller, signal }: ProviderRequest,
): Promise<ResourceRef> {
  await parts.begun();
  const { lists, skills, names } = parts;
  const options = {
    lists,
    skills,
    names,
    scope,
    patienceMs: parts.patienceMs(caller.client),
    signal,
    caller,
  };
  const named = scope.only === undefined ? await namedServer(uri, options) : { server: scope.only, uri };
  const server = named
    ? named.server
    : ((await listingServer(uri, options)) ?? (await templateServer(uri, options)));
  if (!isInScope(scope, server, caller)) throw notFound(uri, []);
  // A client may write any name there, which would end up in records and as a label of metrics.
  if (!lists.has(server)) throw noSuchServer(uri, server);
  return named ?? { server, uri };
}

/** The server that a URI names itself: in a namespaced URI, or in that of a skill whose plain URI clashes. */
async function namedServer(uri: string, options: LocateOptions): Promise<ResourceRef | undefined> {
  const named = parseNamespacedUri(uri);
  const { server } = named ?? parseSkillClash(uri) ?? {};
  if (named || server === undefined || !options.lists.has(server)) return named;
  // Which of the two it is depends on what that server has.
  await skillsOf(options, Number.POSITIVE_INFINITY);
  return options.names.namedSkill(uri);
}

/** Where and for whom a URI is looked up. */
interface LocateOptions extends Pick<RelayParts, "lists" | "skills" | "names"> {
  readonly scope: RelayScope;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  readonly caller: Caller;
}

/** If a URI is in no list, lists older than this are requested again. */
const MAX_AGE_MS = 5_000;

/** The one server that lists a URI, or that gave this client a link to it. Does not wait if one is known. */
async function listingServer(uri: string, options: LocateOptions): Promise<string | undefined> {
  const { names, caller, scope } = options;
  const find = (): string[] => [...new Set([...names.ownersOf(uri), ...names.linkedBy(caller, uri)])];
  const isSkill = parseSkillClash(uri) !== undefined;
  // Otherwise the first server whose skills are known would get the URIs of all.
  if (isSkill) await skillsOf(options, Number.POSITIVE_INFINITY);
  let owners = find();
  for (const maxAgeMs of [Number.POSITIVE_INFINITY, MAX_AGE_MS]) {
    if (owners.length > 0) break;
    await Promise.all([listsOf(options, "resources", maxAgeMs), isSkill && skillsOf(options, maxAgeMs)]);
    owners = find();
  }
  if (owners.length > 1) names.clash(uri, owners);
  const clashing = names.clashing(uri);
  const seen = clashing.filter((server) => isInScope(scope, server, caller));
  if (clashing.length > 0) throw clashFailure(uri, seen);
  return owners[0];
}

/** The one server with a template that matches a URI. */
async function templateServer(uri: string, options: LocateOptions): Promise<string> {
  const { names, scope, caller } = options;
  const templates = await listsOf(options, "templates", MAX_AGE_MS);
  const matching = names.templatesOf(uri);
  const servers = [...new Set(matching.flatMap(([, owners]) => owners))].filter((each) =>
    isInScope(scope, each, caller),
  );
  const [server, another] = servers;
  if (server === undefined) throw notFound(uri, unlisted(templates, options));
  // A URI of a template that once clashed may belong to the other server.
  const isClear = matching.some(([template]) => names.clashing(template).length === 0);
  if (another !== undefined || !isClear) throw ambiguous(uri, servers);
  return server;
}

function listsOf(
  { lists, patienceMs, signal, caller }: LocateOptions,
  kind: "resources" | "templates",
  maxAgeMs: number,
): Promise<readonly ServerItems[]> {
  return lists.all(kind, { maxAgeMs, patienceMs, signal, extensions: extensionKey(caller.can.extensions) });
}

function skillsOf({ skills, patienceMs, signal, caller }: LocateOptions, maxAgeMs: number): Promise<unknown> {
  return skills.all({ maxAgeMs, patienceMs, signal, extensions: extensionKey(caller.can.extensions) });
}

function unlisted(lists: readonly ServerItems[], { scope, caller }: LocateOptions): readonly string[] {
  return lists
    .filter(({ fault, server }) => fault && isInScope(scope, server, caller))
    .map(({ server }) => server);
}

/** The content keeps the URI that the client asked for, namespaced or not. */
function asAsked(
  { names }: RelayParts,
  ref: ResourceRef,
  asked: string,
  { caller }: ProviderRequest,
): Renaming {
  const { uri, meta } = names.inResults(ref.server, caller);
  return { uri: (each) => (each === ref.uri ? asked : uri(each)), meta };
}

import { withoutEnvelope } from "../../content/index.ts";
import type { ListRequest, ProviderRequest, RawResult, ResourceProvider } from "../../contract/index.ts";
import type { ResourceRef } from "../../naming/index.ts";
import { type Renaming, renameInContents, renameInItem } from "../names/rename-uris.ts";
import { locateResource } from "./locate-resource.ts";
import { passOn } from "./relay-failures.ts";
import { passedOn, type RelayParts } from "./relay-parts.ts";
import { isInScope, type RelayScope, scopeChanges } from "./relay-scope.ts";

/** The resources and templates of the servers in a scope. Lists have one page: several clients read only the first. */
export function resourceProvider(parts: RelayParts, scope: RelayScope): ResourceProvider {
  const listed = async (kind: "resources" | "templates", request: ProviderRequest): Promise<RawResult[]> => {
    await parts.begun();
    const { signal, caller, meta } = request;
    const patienceMs = parts.patienceMs(caller.client);
    const isMeant = (server: string): boolean => isInScope(scope, server, caller);
    const { only } = scope;
    const asking = { signal, patienceMs, meta, only, isMeant, isShown: true };
    const lists = await parts.lists.all(kind, asking);
    return lists
      .filter(({ server }) => isMeant(server))
      .flatMap(({ server, items, received }) =>
        scope.only === undefined
          ? items.map((item) => renameInItem(item, parts.names.inLists(server)))
          : received,
      );
  };
  const changes = scopeChanges(scope);
  return {
    list: async (_list: ListRequest, request) => ({ resources: await listed("resources", request) }),
    templates: async (_list, request) => ({ resourceTemplates: await listed("templates", request) }),
    read: async (uri, request) => {
      const ref = await locate(parts, scope, uri, request);
      const reading = parts.relay.readResource(
        ref.server,
        ref.uri,
        passedOn(parts, { scope, server: ref.server }, request),
      );
      const result = withoutEnvelope(await passOn(reading, request.caller));
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

/** Finds the server of a URI for a client. */
export async function locate(
  parts: RelayParts,
  scope: RelayScope,
  uri: string,
  { caller, signal }: ProviderRequest,
): Promise<ResourceRef> {
  await parts.begun();
  const { lists, names } = parts;
  const patienceMs = parts.patienceMs(caller.client);
  return locateResource(uri, { lists, names, scope, patienceMs, signal, caller });
}

/** The content has the URI that the client asked for, in whichever form that was. */
function asAsked(
  { names }: RelayParts,
  ref: ResourceRef,
  asked: string,
  { caller }: ProviderRequest,
): Renaming {
  const { uri, meta } = names.inResults(ref.server, caller);
  return { uri: (each) => (each === ref.uri ? asked : uri(each)), meta };
}

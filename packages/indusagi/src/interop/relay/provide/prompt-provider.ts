import { extensionKey, withoutEnvelope } from "../../content/index.ts";
import type { ListedItem, PromptProvider, ProviderRequest, ServerItems } from "../../contract/index.ts";
import { wireName } from "../../naming/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { KnownItems } from "../item-lists.ts";
import { isSuspended, renameInItem, renameInPrompt, suspended } from "../names/rename-uris.ts";
import { passedOn, passOn, type RelayParts } from "./relay-parts.ts";
import { isInScope, type RelayScope, scopeChanges } from "./relay-scope.ts";

/** A prompt of a server, by its exact name there. */
export interface PromptRef {
  readonly server: string;
  readonly name: string;
}

/** The prompts of the servers in a scope, under wire names like tools. */
export function promptProvider(parts: RelayParts, scope: RelayScope): PromptProvider {
  const changes = scopeChanges(scope);
  return {
    list: async (_list, request) => {
      const prompts = offeredPrompts(parts, scope, await listed(parts, scope, request, true));
      return { prompts, ...parts.hints.items("prompts", scope, request.caller) };
    },
    get: async (name, args, request) => {
      const ref = await findPrompt(parts, scope, name, request);
      if (!ref) return undefined;
      const getting = parts.relay.getPrompt(
        ref.server,
        { name: ref.name, args },
        passedOn(parts, { scope, server: ref.server }, request),
      );
      const received = await passOn(getting, request.caller);
      const result = withoutEnvelope(received);
      const renaming =
        scope.only === undefined ? parts.names.inResults(ref.server, request.caller) : undefined;
      if (isSuspended(received)) return suspended(result, renaming);
      return renaming ? renameInPrompt(result, renaming) : result;
    },
    onListChanged: (listener) => {
      const stop = parts.lists.onChange((kind) => {
        if (kind === "prompts") listener();
      });
      const stopScope = changes.add(listener);
      return () => {
        stop();
        stopScope();
      };
    },
  };
}

/** Finds the prompt a client names; undefined if there is none. Throws the reason if it is withheld. */
export async function findPrompt(
  parts: RelayParts,
  scope: RelayScope,
  name: string,
  request: ProviderRequest,
): Promise<PromptRef | undefined> {
  if (scope.only !== undefined)
    return isInScope(scope, scope.only, request.caller) ? { server: scope.only, name } : undefined;
  await parts.begun();
  const isSeen = ({ server }: ServerItems): boolean => isInScope(scope, server, request.caller);
  const extensions = extensionKey(request.caller.can.extensions);
  const known = promptNamed(parts, parts.lists.offered("prompts", extensions).filter(isSeen), name);
  return known ?? promptNamed(parts, await listed(parts, scope, request), name);
}

async function listed(
  parts: RelayParts,
  scope: RelayScope,
  { signal, caller, meta }: ProviderRequest,
  isShown = false,
): Promise<readonly KnownItems[]> {
  await parts.begun();
  const patienceMs = parts.patienceMs(caller.client);
  const isVisible = (server: string): boolean => isInScope(scope, server, caller);
  const { only } = scope;
  // To find a prompt that is in no known list, servers are asked even if their lists should still be good.
  const wanted = isShown ? { meta } : { maxAgeMs: 0 };
  const extensions = extensionKey(caller.can.extensions);
  const asking = { signal, patienceMs, isShown, only, isVisible, extensions, ...wanted };
  return (await parts.lists.all("prompts", asking)).filter(({ server }) => isVisible(server));
}

/** Two prompts have one name only if their hashes clash; then the first by identity is offered. */
function offeredPrompts(
  { names, nameLimit }: RelayParts,
  { only }: RelayScope,
  lists: readonly KnownItems[],
): readonly ListedItem[] {
  if (only !== undefined) return lists.flatMap(({ received }) => received);
  const winners = refsByName(lists, nameLimit);
  return lists.flatMap(({ server, items }) =>
    items.flatMap((item) => {
      const own = String(item["name"]);
      const name = wireName({ server, name: own }, nameLimit);
      const winner = winners.get(name);
      if (winner?.server !== server || winner.name !== own) return [];
      return [{ ...renameInItem(item, names.inLists(server)), name }];
    }),
  );
}

function promptNamed(
  { nameLimit }: RelayParts,
  lists: readonly ServerItems[],
  name: string,
): PromptRef | undefined {
  const ref = refsByName(lists, nameLimit).get(name);
  if (ref) return ref;
  for (const { server, withheld = new Map<string, string>() } of lists)
    for (const [own, message] of withheld)
      if (wireName({ server, name: own }, nameLimit) === name)
        throw new RpcFailure(RpcCode.INVALID_PARAMS, message);
  return undefined;
}

function refsByName(lists: readonly ServerItems[], limit: number): ReadonlyMap<string, PromptRef> {
  const refs = lists.flatMap(({ server, items }) =>
    items.map((item) => ({ server, name: String(item["name"]) })),
  );
  const named = new Map<string, PromptRef>();
  const identity = ({ server, name }: PromptRef): string => JSON.stringify([server, name]);
  for (const ref of refs.sort((a, b) => (identity(a) < identity(b) ? -1 : 1))) {
    const name = wireName(ref, limit);
    if (!named.has(name)) named.set(name, ref);
  }
  return named;
}

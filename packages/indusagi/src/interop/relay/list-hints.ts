import { isRecord } from "../../core/internal.ts";
import type { Caller } from "../../runtime/index.ts";
import {
  EXTENSION_KEYS,
  extensionKey,
  joinHints,
  KEPT_FRESH_MS,
  NOT_CACHED,
  remainingHint,
  statedHint,
} from "../content/index.ts";
import {
  type CacheHint,
  type ExtensionKey,
  type ItemKind,
  isTerminalPhase,
  isUsablePhase,
  type RawResult,
  type ServerEndpoint,
  type ServerFleet,
} from "../contract/index.ts";
import type { ItemLists } from "./item-lists.ts";
import { LISTS } from "./list-items.ts";
import { isInScope, isSameForAll, type RelayScope } from "./provide/relay-scope.ts";

/** A client that declared every extension we relay. */
const ALL_EXTENSIONS = EXTENSION_KEYS.at(-1) ?? "";

/**
 * What the answers of a relay state about their use later: of a list, the shortest lifetime that is left of its servers' parts, and
 * `private` as soon as another client might get another answer.
 */
export class ListHints {
  readonly #fleet: ServerFleet;
  readonly #lists: ItemLists;

  constructor(fleet: ServerFleet, lists: ItemLists) {
    this.#fleet = fleet;
    this.#lists = lists;
  }

  /** For a list of tools. Brings the tools of servers that report no changes up to date first. Never rejects. */
  async tools(scope: RelayScope, caller: Caller): Promise<CacheHint | undefined> {
    const extensions = extensionKey(caller.can.extensions);
    const parts = this.#endpoints(scope, caller).map(async (endpoint) => {
      if (!isUsablePhase(endpoint.phase)) return hintWhileDown(endpoint);
      const hint = await endpoint.toolHint(extensions);
      const isWhole = this.#fleet.withheld(endpoint.config.id).length === 0;
      return hint && partOf(endpoint, hint, isWhole);
    });
    const hint = merged(await Promise.all(parts), scope, caller);
    return scope.listsAllTools?.(caller) === false ? undefined : hint;
  }

  /** For a list of other items, right after it was made. */
  items(kind: ItemKind, scope: RelayScope, caller: Caller): CacheHint | undefined {
    const extensions = extensionKey(caller.can.extensions);
    const parts = this.#endpoints(scope, caller).map((endpoint) =>
      isUsablePhase(endpoint.phase) ? this.#itemsOf(endpoint, kind, extensions) : hintWhileDown(endpoint),
    );
    return merged(parts, scope, caller);
  }

  /** The result of reading a resource. Its content is not kept here, so its lifetime is as stated. */
  read(server: string, result: RawResult, scope: RelayScope, caller: Caller): RawResult {
    const endpoint = this.#fleet.endpoint(server);
    const isOpen = endpoint !== undefined && isShared(endpoint) && isSameForAll(scope, caller);
    return isOpen || !statedHint(result) ? result : { ...result, cacheScope: "private" };
  }

  #endpoints(scope: RelayScope, caller: Caller): readonly ServerEndpoint[] {
    return this.#fleet.endpoints().filter(({ config: { id, enabled = true, pending = false } }) => {
      return enabled && !pending && isInScope(scope, id, caller);
    });
  }

  #itemsOf(endpoint: ServerEndpoint, kind: ItemKind, extensions: ExtensionKey): CacheHint | undefined {
    const can = endpoint.session().capabilities[LISTS[kind].capability];
    if (can === undefined) return undefined;
    const kept = this.#lists.kept(endpoint.config.id, kind, extensions);
    if (!kept) return NOT_CACHED;
    const isAnnounced = isRecord(can) && can["listChanged"] === true;
    const hint = remainingHint({ hint: kept.list.hint, ageMs: kept.ageMs, isAnnounced });
    const isWhole = (kept.list.withheld?.size ?? 0) === 0;
    return partOf(endpoint, hint, isWhole);
  }
}

function merged(
  parts: readonly (CacheHint | undefined)[],
  scope: RelayScope,
  caller: Caller,
): CacheHint | undefined {
  const hint = joinHints(parts.filter((part) => part !== undefined));
  return hint && (isSameForAll(scope, caller) ? hint : asPrivate(hint));
}

/** The hint of one server's part of a list. What is withheld now may be offered to another client later. */
function partOf(endpoint: ServerEndpoint, hint: CacheHint, isWhole: boolean): CacheHint {
  return isWhole && isOneForAll(endpoint) ? hint : asPrivate(hint);
}

/** Whether all clients get the same list: not if the server lists other items for clients with extensions. */
function isOneForAll(endpoint: ServerEndpoint): boolean {
  return isShared(endpoint) && endpoint.listedFor(ALL_EXTENSIONS) === "";
}

/** An instance of its own may answer its client otherwise. */
function isShared({ config: { share = "fleet" } }: ServerEndpoint): boolean {
  return share === "fleet";
}

function asPrivate({ ttlMs }: CacheHint): CacheHint {
  return { ttlMs, cacheScope: "private" };
}

/** A server that starts changes the list at any moment; one that has failed may come back, which clients are told. */
function hintWhileDown({ phase }: ServerEndpoint): CacheHint {
  return isTerminalPhase(phase) ? { ttlMs: KEPT_FRESH_MS, cacheScope: "public" } : NOT_CACHED;
}

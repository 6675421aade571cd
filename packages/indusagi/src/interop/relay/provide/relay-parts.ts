import type { Caller, ClientInfo } from "../../../runtime/index.ts";
import {
  CALL_TOTAL_MS,
  isProtocolFault,
  type ProtocolFault,
  type ProviderRequest,
  type Relay,
  type RelayOptions,
  type ServerFleet,
} from "../../contract/index.ts";
import { clashUri } from "../../naming/index.ts";
import { RpcCode, RpcFailure, upstreamFailure } from "../../wire/index.ts";
import type { ItemLists } from "../item-lists.ts";
import type { ListHints } from "../list-hints.ts";
import { renameTexts } from "../names/rename-uris.ts";
import { askedWithShownUris, type ResourceNames } from "../names/resource-names.ts";
import type { SkillLists } from "../skill-lists.ts";
import type { RelayScope } from "./relay-scope.ts";

/** What the providers of one fleet share. */
export interface RelayParts {
  readonly fleet: ServerFleet;
  readonly relay: Relay;
  readonly lists: ItemLists;
  readonly skills: SkillLists;
  readonly names: ResourceNames;
  readonly hints: ListHints;
  /** The longest prompt name. */
  readonly nameLimit: number;
  /** Resolves when the servers of the fleet are known. */
  begun(): Promise<void>;
  patienceMs(client: ClientInfo | undefined): number;
}

/** What is passed on with a request to a server. On the route of one server nothing is renamed. */
export function passedOn(
  { names }: RelayParts,
  { scope: { only }, server }: { readonly scope: RelayScope; readonly server: string },
  { signal, caller, meta }: ProviderRequest,
): RelayOptions {
  return {
    signal,
    caller: only === undefined ? askedWithShownUris(caller, names, server) : caller,
    // A request may take as long as its client waits. This ends an abandoned one.
    timeoutMs: CALL_TOTAL_MS,
    ...(meta && { meta: renameTexts(meta, (text) => names.restored(server, text)) }),
  };
}

/** Runs a request on a server. Its failure becomes the answer to the client: the server's own error, or why there was none. */
export async function passOn<Result>(request: Promise<Result>, { can }: Caller): Promise<Result> {
  try {
    return await request;
  } catch (thrown) {
    if (!isProtocolFault(thrown)) throw thrown;
    if (thrown.rpc) throw upstreamFailure(thrown.rpc, can);
    throw new RpcFailure(codeOf(thrown), thrown.message);
  }
}

/** A rule forbids what the client named, unless the same request may be allowed later, as with a rate limit. */
function codeOf({ reason, retrySafe }: ProtocolFault): number {
  if (reason !== "policy") return RpcCode.INTERNAL_ERROR;
  return retrySafe ? RpcCode.REFUSED : RpcCode.INVALID_PARAMS;
}

/** The answer for an ambiguous URI. */
export function ambiguous(uri: string, servers: readonly string[]): RpcFailure {
  const names = servers.map((server) => JSON.stringify(server)).join(" and ");
  const candidates = servers.map((server) => clashUri({ server, uri }));
  const owners = servers.length === 1 ? `the server ${names} and others` : `the servers ${names}`;
  const message = `${uri} is ambiguous: ${owners} have it; read ${candidates.join(" or ")} instead`;
  return new RpcFailure(RpcCode.INVALID_PARAMS, message, { candidates });
}

/** The same for a client that sees only these servers. If it sees none, it is not told that there are any. */
export function clashFailure(uri: string, seen: readonly string[]): RpcFailure {
  return seen.length > 0 ? ambiguous(uri, seen) : notFound(uri, []);
}

/** The answer for a URI that no server has. `unknown`: the servers that could not be asked. */
export function notFound(uri: string, unknown: readonly string[]): RpcFailure {
  const silent = unknown.map((server) => JSON.stringify(server)).join(", ");
  const rest =
    unknown.length === 0 ? "" : `; not asked, because they cannot list their resources now: ${silent}`;
  return new RpcFailure(RpcCode.RESOURCE_NOT_FOUND, `Resource not found: ${uri}${rest}`, { uri });
}

/** The answer for a namespaced URI with a name that no server has. */
export function noSuchServer(uri: string, server: string): RpcFailure {
  const message = `Resource not found: ${uri}; there is no server ${JSON.stringify(server)}`;
  return new RpcFailure(RpcCode.RESOURCE_NOT_FOUND, message, { uri });
}

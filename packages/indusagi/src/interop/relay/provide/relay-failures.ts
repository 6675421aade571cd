import type { Caller } from "../../../runtime/index.ts";
import { isProtocolFault, type ProtocolFault } from "../../contract/index.ts";
import { clashUri } from "../../naming/index.ts";
import { RpcCode, RpcFailure, upstreamFailure } from "../../wire/index.ts";

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

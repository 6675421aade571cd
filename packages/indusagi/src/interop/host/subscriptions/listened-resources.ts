import { describeError } from "../../../core/index.ts";
import type { RpcMessage } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { RpcFailure } from "../request/rpc-failure.ts";
import { ClientSubscriptions } from "./client-subscriptions.ts";
import type { ResourceWatchers } from "./resource-watchers.ts";

/** The resources that a `subscriptions/listen` request names; none for any other message. */
export function listenedResources(message: unknown): readonly string[] {
  const { method, params } = message as RpcMessage;
  if (method !== "subscriptions/listen") return [];
  const filter = params?.["notifications"] as { readonly resourceSubscriptions?: unknown } | null | undefined;
  const uris = filter?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

/** Watches all of them or, if that fails, none. */
export function watchAll(
  watches: ResourceWatchers,
  uris: readonly string[],
  limit?: number,
): ClientSubscriptions {
  const list = new ClientSubscriptions(watches, limit);
  try {
    for (const uri of uris) list.add(uri);
    return list;
  } catch (thrown) {
    list.end();
    throw thrown;
  }
}

/** The answer to a `subscriptions/listen` request that cannot be served. */
export function listenRefusal(id: string | number | undefined, thrown: unknown): RpcMessage {
  const code = thrown instanceof RpcFailure ? thrown.code : RpcCode.INTERNAL_ERROR;
  const error = { code, message: describeError(thrown) };
  return { jsonrpc: "2.0", error, ...(id === undefined ? {} : { id }) };
}

import { describeError } from "../../../core/index.ts";
import type { ProviderRequest, RpcMessage } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { ClientSubscriptions, type ClientSubscriptionsOptions } from "./client-subscriptions.ts";

/** The resources that a `subscriptions/listen` request names; none for any other message. */
export function listenedResources(message: unknown): readonly string[] {
  const { method, params } = message as RpcMessage;
  if (method !== "subscriptions/listen") return [];
  const filter = params?.["notifications"] as { readonly resourceSubscriptions?: unknown } | null | undefined;
  const uris = filter?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

/** The resources of one `subscriptions/listen` request. */
export interface ListenWatch {
  readonly list: ClientSubscriptions;
  /** Rejects, with nothing watched any more, if one of them cannot be watched; absent if all are watched now. */
  readonly ready: Promise<void> | undefined;
}

/** Watches all of them or, if one fails, none. Throws if one fails at once. */
export function watchAll(
  options: ClientSubscriptionsOptions,
  uris: readonly string[],
  request: ProviderRequest,
): ListenWatch {
  const list = new ClientSubscriptions(options);
  const failed = (thrown: unknown): never => {
    list.end();
    throw thrown;
  };
  const waits: Promise<void>[] = [];
  try {
    for (const uri of uris) {
      const waiting = list.add(uri, request);
      if (!waiting) continue;
      waiting.catch(() => {}); // The first refusal is reported.
      waits.push(waiting);
    }
    return { list, ready: waits.length > 0 ? Promise.all(waits).then(() => {}, failed) : undefined };
  } catch (thrown) {
    return failed(thrown);
  }
}

/** The answer to a `subscriptions/listen` request that cannot be served. */
export function listenRefusal(id: string | number | undefined, thrown: unknown): RpcMessage {
  const { code, data } =
    thrown instanceof RpcFailure ? thrown : { code: RpcCode.INTERNAL_ERROR, data: undefined };
  const error = {
    // The modern era has no separate code for an unknown resource.
    code: code === RpcCode.RESOURCE_NOT_FOUND ? RpcCode.INVALID_PARAMS : code,
    message: describeError(thrown),
    ...(data === undefined ? {} : { data }),
  };
  return { jsonrpc: "2.0", error, ...(id === undefined ? {} : { id }) };
}

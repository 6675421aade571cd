import { onAbort } from "../../../../../core/index.ts";
import { onStreamEnd } from "../../../../../core/internal.ts";
import type { RpcMessage } from "../../../../contract/index.ts";
import type { ClientSubscriptions } from "../../../subscriptions/client-subscriptions.ts";
import { listenedResources, listenRefusal, watchAll } from "../../../subscriptions/listened-resources.ts";
import type { ResourceWatchers } from "../../../subscriptions/resource-watchers.ts";

/**
 * Watches the resources of a modern subscription while its stream is open. The SDK serves these streams without
 * calling us. Any other answer passes unchanged.
 */
export function watchWhileOpen(
  watches: ResourceWatchers,
  message: unknown,
  { signal }: Request,
  response: Response,
): Response {
  const uris = listenedResources(message);
  const isOpen = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (uris.length === 0 || !isOpen || !response.body) return response;
  let list: ClientSubscriptions;
  try {
    list = watchAll(watches, uris);
  } catch (thrown) {
    void response.body.cancel().catch(() => {});
    // Refused as the SDK does it: in the message, not in the status.
    return Response.json(listenRefusal((message as RpcMessage).id, thrown));
  }
  let stopHearing = (): void => {};
  const end = (): void => (stopHearing(), list.end());
  stopHearing = onAbort(signal, end);
  return new Response(onStreamEnd(response.body, end), response);
}

import { onAbort } from "../../../../../core/index.ts";
import { onStreamEnd } from "../../../../../core/internal.ts";
import type { RpcMessage } from "../../../../contract/index.ts";
import type { ClientSubscriptions } from "../../../subscriptions/client-subscriptions.ts";
import { listenedResources, listenRefusal, watchAll } from "../../../subscriptions/listened-resources.ts";
import type { ResourceWatchers } from "../../../subscriptions/resource-watchers.ts";

/**
 * In the modern era a client watches resources by a stream that it keeps open, which the SDK serves without a word to
 * us. What such a stream is about is watched until it ends or its client goes; any other answer passes as it is.
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
    // As the SDK refuses such a request: in the message, not in the status.
    return Response.json(listenRefusal((message as RpcMessage).id, thrown));
  }
  let stopHearing = (): void => {};
  const end = (): void => (stopHearing(), list.end());
  stopHearing = onAbort(signal, end);
  return new Response(onStreamEnd(response.body, end), response);
}

import { onAbort } from "../../../core/index.ts";
import { onStreamEnd } from "../../../core/internal.ts";
import type { HostClient, ResourceProvider, RpcMessage } from "../../contract/index.ts";
import {
  type ListenWatch,
  listenedResources,
  listenRefusal,
  watchAll,
} from "../subscriptions/listened-resources.ts";
import type { ResourceWatchers } from "../subscriptions/resource-watchers.ts";

/** One modern subscription over HTTP. */
export interface OpenedStream {
  readonly message: unknown;
  readonly request: Request;
  readonly response: Response;
  readonly client: HostClient;
  readonly provider: ResourceProvider | undefined;
}

/**
 * Watches the resources of a modern subscription while its stream is open. The SDK serves these streams without
 * calling us. The answer waits until the resources are watched. Any other answer passes unchanged.
 */
export function watchWhileOpen(
  watchers: ResourceWatchers,
  { message, request, response, client, provider }: OpenedStream,
): Response | Promise<Response> {
  const { signal } = request;
  const uris = listenedResources(message);
  const isOpen = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (uris.length === 0 || !isOpen || !response.body) return response;
  const { body } = response;
  const refused = (thrown: unknown): Response => {
    void body.cancel().catch(() => {});
    // As the SDK refuses: in the message, not in the status.
    return Response.json(listenRefusal((message as RpcMessage).id, thrown));
  };
  const caller = { ...client, can: {} };
  let watch: ListenWatch;
  try {
    watch = watchAll({ watchers, provider }, uris, { caller, signal });
  } catch (thrown) {
    return refused(thrown);
  }
  let unlisten = (): void => {};
  const end = (): void => (unlisten(), watch.list.end());
  unlisten = onAbort(signal, end);
  const opened = (): Response => new Response(onStreamEnd(body, end), response);
  return watch.ready ? watch.ready.then(opened, refused) : opened();
}

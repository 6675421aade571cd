import type { ProviderRequest, ResourceProvider, ServerFleet } from "../../contract/index.ts";
import type { ResourceRef } from "../../naming/index.ts";

const UPDATED = "notifications/resources/updated";

interface Watched extends ResourceRef {
  readonly client: string;
  readonly release: () => Promise<void>;
}

/**
 * Watches resources of a fleet for the clients of a host. Updates have the URI under which a client watches the resource.
 * `locate` finds the server of a URI, and rejects with the answer for the client if there is none.
 */
export function resourceUpdates(
  fleet: ServerFleet,
  locate: (uri: string, request: ProviderRequest) => Promise<ResourceRef>,
): Required<Pick<ResourceProvider, "watch" | "unwatch" | "onUpdated">> {
  const watched = new Map<string, Watched>();
  return {
    watch: async (uri, request) => {
      const { server, uri: own } = await locate(uri, request);
      const { caller, signal } = request;
      const release = await fleet.watchResource(server, own, { caller, signal });
      watched.set(uri, { server, uri: own, client: caller.key, release });
    },
    unwatch: async (uri) => {
      const entry = watched.get(uri);
      watched.delete(uri);
      await entry?.release();
    },
    onUpdated: (listener) =>
      fleet.onNotification(({ server, client, notification: { method, params } }) => {
        if (method !== UPDATED) return;
        for (const [shown, entry] of watched) {
          const isMeant = entry.server === server && entry.uri === params?.["uri"];
          if (isMeant && (client ?? entry.client) === entry.client) listener(shown);
        }
      }),
  };
}

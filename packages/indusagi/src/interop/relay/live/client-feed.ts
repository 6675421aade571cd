import type { ClientFeed, HostClient, ServerFleet } from "../../contract/index.ts";

const COMPLETED = "notifications/elicitation/complete";

/** What one client of a host gets from the servers of a fleet outside of its calls. `keeps`: the servers it sees. */
export function clientFeed(
  fleet: ServerFleet,
  { key }: HostClient,
  keeps: (server: string) => boolean = () => true,
): ClientFeed {
  return {
    setLevel: (level) => fleet.setLogLevel(key, level),
    onLog: (listener) =>
      fleet.onLog(({ server, entry, audience }) => {
        const isMeant = audience.kind === "client" ? audience.key === key : audience.kind === "all";
        if (isMeant && keeps(server)) listener(entry);
      }),
    onNotification: (listener) =>
      fleet.onNotification(({ server, notification, client = key }) => {
        // The host knows whether this client was asked.
        if (notification.method === COMPLETED && client === key && keeps(server)) listener(notification);
      }),
  };
}

import type { LogEntry } from "../../runtime/index.ts";
import { isWantedLevel } from "../../runtime/internal.ts";
import type { SessionNotification } from "../contract/index.ts";
import { followChanges } from "./offer/host-changes.ts";
import { attempt } from "./request/attempt.ts";
import { observeClient } from "./request/connected-client.ts";
import type { HostConnection } from "./request/host-connection.ts";

/** The end of an elicitation by URL. It concerns only the client that was asked. */
const COMPLETED = "notifications/elicitation/complete";

type Tell = (sent: Promise<void>) => void;

/** Sends changes, log messages and notifications to a connection while it lasts, and reports its client. */
export function followConnection(connection: HostConnection): void {
  const { core, server, providers } = connection;
  const report = (message: string): void => core.report(message);
  const tell: Tell = (sent) => void sent.catch((thrown: unknown) => report(String(thrown)));
  const sink = {
    toolsChanged: () => tell(server.sendToolListChanged()),
    promptsChanged: () => tell(server.sendPromptListChanged()),
    resourcesChanged: () => tell(server.sendResourceListChanged()),
    resourceUpdated: (uri: string) => {
      if (connection.isWatching(uri)) tell(server.sendResourceUpdated({ uri }));
    },
  };
  const stop = followChanges({ box: core.box, providers, report }, sink);
  const stopFeed = connection.peer.era === "legacy" ? followFeed(connection, tell) : [];
  const leave = observeClient(connection);
  connection.onBoxChosen = (box) => box.onChange(sink.toolsChanged);
  server.onclose = () => {
    stop();
    connection.end();
    for (const end of [...stopFeed, leave]) attempt(end, report);
  };
}

/** Sends what the client gets outside of its requests. Returns functions that end it. */
function followFeed(connection: HostConnection, tell: Tell): readonly (() => void)[] {
  const { server, providers } = connection;
  const { feed } = providers;
  const send = ({ method, params }: SessionNotification): void => {
    if (method === COMPLETED && !connection.elicitations.has(params?.["elicitationId"])) return;
    tell(server.notification({ method, ...(params && { params: { ...params } }) }));
  };
  const log = ({ level, ...entry }: LogEntry): void => {
    if (isWantedLevel(level, connection.logLevel))
      send({ method: "notifications/message", params: { level, ...entry } });
  };
  return [feed?.onLog?.(log), feed?.onNotification?.(send)].filter((stop) => stop !== undefined);
}

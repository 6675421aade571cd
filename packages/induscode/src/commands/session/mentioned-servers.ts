import type { MentionedServers } from "../../conductor/mentions/index.ts";
import { type ServerReport, serverReport } from "../../servers/doctor/index.ts";
import { MAX_NAME_CHARS } from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";

/** The servers whose prompts and resources a message can name: connected ones, and those that are starting or that a call would start. */
export function mentionedServers(servers: OpenServers | undefined): MentionedServers | undefined {
  if (!servers) return undefined;
  const those = (is: (report: ServerReport) => boolean): readonly string[] =>
    servers
      .statuses()
      .map(serverReport)
      .filter(is)
      .map(({ server }) => server);
  return {
    relay: servers.relay,
    maxNameChars: MAX_NAME_CHARS,
    known: () => servers.statuses().map(({ server }) => server),
    ready: () => those(({ isConnected, isUsable }) => isConnected || isUsable),
    starting: () => those(({ isStarting }) => isStarting),
    lastPrompts: (server) => servers.lastKnownItems(server, "prompts"),
  };
}

import type { MentionedServers } from "../../conductor/mentions/index.ts";
import { serverReport } from "../../servers/doctor/index.ts";
import { MAX_NAME_CHARS } from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";

/** The servers whose prompts and resources a message can name: connected ones, and those that a call would start. */
export function mentionedServers(servers: OpenServers | undefined): MentionedServers | undefined {
  return (
    servers && {
      relay: servers.relay,
      maxNameChars: MAX_NAME_CHARS,
      known: () => servers.statuses().map(({ server }) => server),
      ready: () =>
        servers
          .statuses()
          .map(serverReport)
          .filter(({ isConnected, isUsable }) => isConnected || isUsable)
          .map(({ server }) => server),
    }
  );
}

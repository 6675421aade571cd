import type { McpServer } from "@agentclientprotocol/sdk";
import type { ServerConfig } from "indusagi/interop";

/** The servers that an editor hands over, in our form. The editor's user chose them, so they are approved. */
export function editorServers(servers: readonly McpServer[]): readonly ServerConfig[] {
  return servers.map((server) => {
    const id = server.name;
    // Some editors give a stdio server a type, too.
    if (!("url" in server))
      return {
        kind: "stdio",
        id,
        command: server.command,
        args: server.args,
        env: Object.fromEntries(server.env.map(({ name, value }) => [name, value])),
      };
    return {
      kind: server.type === "sse" ? "sse" : "streamable-http",
      id,
      url: server.url,
      headers: Object.fromEntries(server.headers.map(({ name, value }) => [name, value])),
    };
  });
}

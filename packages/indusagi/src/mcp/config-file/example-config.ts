import type { MCPConfigFile, MCPServerConfigEntry } from "../contract/index.ts";

/** A configuration without servers. */
export function createDefaultConfig(): { servers: MCPServerConfigEntry[] } {
  return { servers: [] };
}

/** An example for documentation. Variables such as `${GITHUB_TOKEN}` are replaced when the file is read. */
export const EXAMPLE_CONFIG: MCPConfigFile = Object.freeze({
  servers: [
    {
      name: "filesystem",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "."],
    },
    {
      name: "github",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-github"],
      env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" },
    },
    {
      name: "remote-server",
      url: "https://example.com/mcp",
      headers: { Authorization: "Bearer ${REMOTE_TOKEN}" },
      enabled: false,
    },
  ],
});

const INSPECTOR = "npx @modelcontextprotocol/inspector-cli@0.16.8";

/** How a client that starts programs itself runs the demonstration. */
export interface ClientLaunch {
  readonly command: string;
  readonly args: readonly string[];
}

/** What to type or paste to connect well-known clients to the demonstration at a URL. */
export function showClientSetup(url: string, launch: ClientLaunch): string {
  const sections: readonly (readonly [client: string, setup: string])[] = [
    ["Inspector (command line)", `${INSPECTOR} --cli ${url} --transport http --method tools/list`],
    ["Claude Code", `claude mcp add --transport http indus ${url}`],
    ["Claude Desktop, claude_desktop_config.json (starts its own)", json({ mcpServers: { indus: launch } })],
    ["Cursor, ~/.cursor/mcp.json", json({ mcpServers: { indus: { url } } })],
    ["VS Code, .vscode/mcp.json", json({ servers: { indus: { type: "http", url } } })],
  ];
  const shown = sections.map(([client, setup]) => `${client}:\n${indented(setup)}\n`).join("\n");
  return `\nTo connect a client:\n\n${shown}\nPress Ctrl-C to stop.\n`;
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

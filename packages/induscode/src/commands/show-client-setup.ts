import { fileURLToPath } from "node:url";

const INSPECTOR = "npx @modelcontextprotocol/inspector-cli@0.16.8";

/** What to type or paste so that well-known clients use the demonstration at a URL. */
export function showClientSetup(url: string): string {
  const indus = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
  // A desktop application has neither our folder nor our PATH, so it is told both.
  const args = [indus, "serve", "--stdio", "--demo", "--cwd", process.cwd()];
  const desktop = { mcpServers: { indus: { command: process.execPath, args } } };
  const sections: readonly (readonly [client: string, setup: string])[] = [
    ["Inspector (command line)", `${INSPECTOR} --cli ${url} --transport http --method tools/list`],
    ["Claude Code", `claude mcp add --transport http indus ${url}`],
    ["Claude Desktop, claude_desktop_config.json (starts its own)", json(desktop)],
    ["Cursor, ~/.cursor/mcp.json", json({ mcpServers: { indus: { url } } })],
    ["VS Code, .vscode/mcp.json", json({ servers: { indus: { type: "http", url } } })],
  ];
  const shown = sections.map(([client, setup]) => `${client}:\n${indented(setup)}\n`).join("\n");
  return `\nTo connect a client:\n\n${shown}\nCtrl-C ends everything.\n`;
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

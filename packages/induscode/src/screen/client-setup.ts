const INSPECTOR = "npx @modelcontextprotocol/inspector-cli@0.16.8";

/** How a client that starts servers itself runs the same ones. */
export interface ClientLaunch {
  readonly command: string;
  readonly args: readonly string[];
}

/** What clients need to connect. */
export interface ClientSetup {
  readonly url: string;
  readonly launch: ClientLaunch;
  /** The environment variable that holds the token, if one is required. The token itself is never shown. */
  readonly tokenEnv?: string | undefined;
  /** A sentence on how to stop the server. */
  readonly ending: string;
}

/** What to type or paste to connect well-known clients to a gateway. */
export function showClientSetup({ url, launch, tokenEnv, ending }: ClientSetup): string {
  const flag = tokenEnv === undefined ? "" : ` --header "Authorization: Bearer ${inShell(tokenEnv)}"`;
  const headers = (variable: string): object =>
    tokenEnv === undefined ? {} : { headers: { Authorization: `Bearer ${variable}` } };
  const fromEnv = headers(`\${env:${tokenEnv}}`);
  const sections: readonly (readonly [client: string, setup: string])[] = [
    ["Inspector (command line)", `${INSPECTOR} --cli ${url} --transport http --method tools/list${flag}`],
    ["Claude Code", `claude mcp add --transport http indus ${url}${flag}`],
    ["Codex, ~/.codex/config.toml", codexTable(url, tokenEnv)],
    // By default it adds the row only to the folder in which this is typed.
    ["Gemini CLI", `gemini mcp add -s user --transport http indus ${url}${flag}`],
    ["Claude Desktop, claude_desktop_config.json (starts its own)", json({ mcpServers: { indus: launch } })],
    ["Cursor, ~/.cursor/mcp.json", json({ mcpServers: { indus: { url, ...fromEnv } } })],
    ["VS Code, .vscode/mcp.json", json({ servers: { indus: { type: "http", url, ...fromEnv } } })],
    [
      "opencode, opencode.json",
      json({ mcp: { indus: { type: "remote", url, ...headers(`{env:${tokenEnv}}`) } } }),
    ],
  ];
  const shown = sections.map(([client, setup]) => `${client}:\n${indented(setup)}\n`).join("\n");
  const variable =
    tokenEnv === undefined ? "" : ` The client needs the variable ${tokenEnv} in its environment too.`;
  return `\nTo connect a client:${variable}\n\n${shown}\n${ending}\n`;
}

/** A variable as a shell expands it: on Windows PowerShell (untested). */
function inShell(name: string): string {
  return process.platform === "win32" ? `$env:${name}` : `$${name}`;
}

function codexTable(url: string, tokenEnv: string | undefined): string {
  const token = tokenEnv === undefined ? "" : `\nbearer_token_env_var = ${JSON.stringify(tokenEnv)}`;
  return `[mcp_servers.indus]\nurl = ${JSON.stringify(url)}${token}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

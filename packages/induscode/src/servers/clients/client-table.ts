import { posix, win32 } from "node:path";
import type { ConfigPath } from "indusagi/config";
import type { Client, ClientId, ClientPlace, ClientWorld } from "./client.ts";

const COMMON: ConfigPath = ["mcpServers"];

/**
 * Every client, in the order of help and lists. Places on macOS and Windows are from the clients' manuals. For where
 * `followsChanges` is known from, see `listingPatienceMs`.
 */
export const CLIENTS: readonly Client[] = [
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    format: "json",
    variables: "none",
    startsInProject: false,
    restart: "quit Claude Desktop and start it again",
    places: (world) => [user(world, [appData(world), "Claude", "claude_desktop_config.json"])],
  },
  {
    id: "claude-code",
    title: "Claude Code",
    format: "json",
    variables: "braces",
    startsInProject: true,
    restart: "start new sessions of Claude Code",
    followsChanges: true,
    hasFileTools: true,
    places: (world) => [
      user(world, [world.home, ".claude.json"]),
      {
        ...user(world, [world.home, ".claude.json"], ["projects", world.cwd, "mcpServers"]),
        scope: "local",
      },
      project(world, [".mcp.json"]),
    ],
  },
  {
    id: "cursor",
    title: "Cursor",
    format: "json",
    variables: "braces",
    startsInProject: false,
    restart: "switch the server off and on in the settings of Cursor, or restart Cursor",
    hasFileTools: true,
    places: (world) => [
      user(world, [world.home, ".cursor", "mcp.json"]),
      project(world, [".cursor", "mcp.json"]),
    ],
  },
  {
    id: "vscode",
    title: "VS Code",
    format: "json",
    variables: "braces",
    startsInProject: true,
    restart: 'run "MCP: List Servers" in VS Code and restart the server',
    followsChanges: true,
    hasFileTools: true,
    places: (world) => [
      user(world, [appData(world), "Code", "User", "mcp.json"], ["servers"]),
      // Older versions keep them in the settings.
      {
        ...user(world, [appData(world), "Code", "User", "settings.json"], ["mcp", "servers"]),
        isOnlyRead: true,
      },
      project(world, [".vscode", "mcp.json"], ["servers"]),
    ],
  },
  {
    id: "windsurf",
    title: "Windsurf",
    format: "json",
    variables: "braces",
    startsInProject: false,
    restart: "press refresh in the MCP settings of Windsurf, or restart Windsurf",
    hasFileTools: true,
    places: (world) => [user(world, [world.home, ".codeium", "windsurf", "mcp_config.json"])],
  },
  {
    id: "codex",
    title: "Codex",
    format: "toml",
    variables: "none",
    startsInProject: true,
    restart: "start new sessions of Codex",
    hasFileTools: true,
    places: (world) => [
      user(world, [codexHome(world), "config.toml"], ["mcp_servers"]),
      project(world, [".codex", "config.toml"], ["mcp_servers"]),
    ],
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    format: "json",
    variables: "dollar",
    startsInProject: true,
    restart: "start new sessions of Gemini CLI",
    followsChanges: true,
    hasFileTools: true,
    places: (world) => [
      user(world, [world.home, ".gemini", "settings.json"]),
      project(world, [".gemini", "settings.json"]),
    ],
  },
  {
    id: "zed",
    title: "Zed",
    format: "json",
    variables: "none",
    startsInProject: true,
    restart: "restart the server in the settings of Zed",
    followsFile: true,
    hasFileTools: true,
    places: (world) => [
      user(world, [zedFolder(world), "settings.json"], ["context_servers"]),
      project(world, [".zed", "settings.json"], ["context_servers"]),
    ],
  },
  {
    id: "opencode",
    title: "opencode",
    format: "json",
    variables: "opencode",
    startsInProject: true,
    restart: "restart opencode",
    followsChanges: true,
    hasFileTools: true,
    places: (world) =>
      ["opencode.json", "opencode.jsonc"].flatMap((name) => [
        user(world, [configHome(world), "opencode", name], ["mcp"]),
        project(world, [name], ["mcp"]),
      ]),
  },
];

/** The ids of all clients, for help and completion. */
export const CLIENT_IDS: readonly ClientId[] = CLIENTS.map(({ id }) => id);

export function clientById(id: string): Client | undefined {
  return CLIENTS.find((client) => client.id === id);
}

function user(world: ClientWorld, parts: readonly string[], container = COMMON): ClientPlace {
  return { scope: "user", file: paths(world).join(...parts), container };
}

function project(world: ClientWorld, parts: readonly string[], container = COMMON): ClientPlace {
  return { scope: "project", file: paths(world).join(world.cwd, ...parts), container };
}

/** Where desktop applications keep their settings. */
function appData(world: ClientWorld): string {
  if (world.platform === "darwin") return paths(world).join(world.home, "Library", "Application Support");
  if (world.platform === "win32")
    return absolute(world, "APPDATA") ?? win32.join(world.home, "AppData", "Roaming");
  return configHome(world);
}

/** These clients use `~/.config` on macOS too. */
function configHome(world: ClientWorld): string {
  return absolute(world, "XDG_CONFIG_HOME") ?? paths(world).join(world.home, ".config");
}

function zedFolder(world: ClientWorld): string {
  if (world.platform === "win32") return win32.join(appData(world), "Zed");
  return paths(world).join(
    world.platform === "darwin" ? posix.join(world.home, ".config") : configHome(world),
    "zed",
  );
}

function codexHome(world: ClientWorld): string {
  return absolute(world, "CODEX_HOME") ?? paths(world).join(world.home, ".codex");
}

/** A relative or empty value counts as unset. */
function absolute(world: ClientWorld, name: string): string | undefined {
  const value = world.env[name];
  return value !== undefined && paths(world).isAbsolute(value) ? value : undefined;
}

function paths({ platform }: ClientWorld): typeof posix {
  return platform === "win32" ? win32 : posix;
}

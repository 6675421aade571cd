import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { CLIENT_IDS, CLIENTS, type ClientWorld } from "../../../src/servers/clients/index.ts";

const linux: ClientWorld = { home: "/home/me", cwd: "/src/site", env: {}, platform: "linux" };
const mac: ClientWorld = { home: "/Users/me", cwd: "/src/site", env: {}, platform: "darwin" };
const windows: ClientWorld = {
  home: "C:\\Users\\me",
  cwd: "D:\\site",
  env: { APPDATA: "C:\\Users\\me\\AppData\\Roaming" },
  platform: "win32",
};

function placesIn(world: ClientWorld): object {
  const all = CLIENTS.map(({ id, places }) => [
    id,
    places(world).map(({ scope, file }) => `${scope} ${file}`),
  ]);
  return Object.fromEntries(all) as object;
}

verifies("clients:places", "every client has its places on Linux, macOS and Windows", () => {
  expect(CLIENT_IDS).toEqual([
    "claude-desktop",
    "claude-code",
    "cursor",
    "vscode",
    "windsurf",
    "codex",
    "gemini",
    "zed",
    "opencode",
  ]);
  expect(placesIn(linux)).toEqual({
    "claude-desktop": ["user /home/me/.config/Claude/claude_desktop_config.json"],
    "claude-code": [
      "user /home/me/.claude.json",
      "local /home/me/.claude.json",
      "project /src/site/.mcp.json",
    ],
    cursor: ["user /home/me/.cursor/mcp.json", "project /src/site/.cursor/mcp.json"],
    vscode: [
      "user /home/me/.config/Code/User/mcp.json",
      "user /home/me/.config/Code/User/settings.json",
      "project /src/site/.vscode/mcp.json",
    ],
    windsurf: ["user /home/me/.codeium/windsurf/mcp_config.json"],
    codex: ["user /home/me/.codex/config.toml", "project /src/site/.codex/config.toml"],
    gemini: ["user /home/me/.gemini/settings.json", "project /src/site/.gemini/settings.json"],
    zed: ["user /home/me/.config/zed/settings.json", "project /src/site/.zed/settings.json"],
    opencode: [
      "user /home/me/.config/opencode/opencode.json",
      "project /src/site/opencode.json",
      "user /home/me/.config/opencode/opencode.jsonc",
      "project /src/site/opencode.jsonc",
    ],
  });
  expect(placesIn(mac)).toMatchObject({
    "claude-desktop": ["user /Users/me/Library/Application Support/Claude/claude_desktop_config.json"],
    vscode: [
      "user /Users/me/Library/Application Support/Code/User/mcp.json",
      "user /Users/me/Library/Application Support/Code/User/settings.json",
      "project /src/site/.vscode/mcp.json",
    ],
    zed: ["user /Users/me/.config/zed/settings.json", "project /src/site/.zed/settings.json"],
  });
  expect(placesIn(windows)).toMatchObject({
    "claude-desktop": ["user C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json"],
    codex: ["user C:\\Users\\me\\.codex\\config.toml", "project D:\\site\\.codex\\config.toml"],
    zed: [
      "user C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json",
      "project D:\\site\\.zed\\settings.json",
    ],
  });
});

verifies(
  "clients:places",
  "variables of the client move its folder, and an empty or relative one does not",
  () => {
    const moved = { ...linux, env: { XDG_CONFIG_HOME: "/x", CODEX_HOME: "/c" } };
    expect(placesIn(moved)).toMatchObject({
      "claude-desktop": ["user /x/Claude/claude_desktop_config.json"],
      codex: ["user /c/config.toml", "project /src/site/.codex/config.toml"],
      opencode: expect.arrayContaining(["user /x/opencode/opencode.json"]) as unknown,
    });
    expect(placesIn({ ...linux, env: { XDG_CONFIG_HOME: "", CODEX_HOME: "c" } })).toEqual(placesIn(linux));
  },
);

import { homedir } from "node:os";
import { verifies } from "@indus/testkit";
import { configPlaces } from "indusagi/config";
import { expect } from "vitest";

const files = (options: Parameters<typeof configPlaces>[0]): string[] =>
  configPlaces(options).map(({ scope, file }) => `${scope} ${file}`);

verifies("config:places", "Linux and macOS", () => {
  for (const platform of ["linux", "darwin"] as const)
    expect(files({ cwd: "/p", env: { HOME: "/h" }, platform })).toEqual([
      "project /p/.indusvx/mcp.json",
      "user /h/.config/indusvx/mcp.json",
      "legacy /h/.indusvx/agent/mcp.json",
      "legacy /h/.indusvx/agent/mcp-servers.json",
    ]);
});

verifies("config:places", "Windows, with Windows paths", () => {
  expect(files({ cwd: "C:\\p", env: { USERPROFILE: "C:\\Users\\me" }, platform: "win32" })).toEqual([
    "project C:\\p\\.indusvx\\mcp.json",
    "user C:\\Users\\me\\.config\\indusvx\\mcp.json",
    "legacy C:\\Users\\me\\.indusvx\\agent\\mcp.json",
    "legacy C:\\Users\\me\\.indusvx\\agent\\mcp-servers.json",
  ]);
});

verifies(
  "config:places",
  "XDG_CONFIG_HOME moves the user's file; an empty or relative value counts as unset",
  () => {
    const user = (xdg: string): string | undefined =>
      files({ cwd: "/p", env: { HOME: "/h", XDG_CONFIG_HOME: xdg }, platform: "linux" })[1];
    expect(user("/x")).toBe("user /x/indusvx/mcp.json");
    expect(user("")).toBe("user /h/.config/indusvx/mcp.json");
    expect(user("x")).toBe("user /h/.config/indusvx/mcp.json");
  },
);

verifies(
  "config:places",
  "a given home has precedence, and an empty one means the system's",
  () => {
    expect(files({ cwd: "/p", home: "/g", env: { HOME: "/h" }, platform: "linux" })[2]).toBe(
      "legacy /g/.indusvx/agent/mcp.json",
    );
    expect(files({ cwd: "/p", env: { HOME: "" }, platform: "linux" })[2]).toBe(
      `legacy ${homedir()}/.indusvx/agent/mcp.json`,
    );
  },
  { only: ["linux", "darwin"] },
);

import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { isProtected } from "../../../src/policy/internal.ts";
import { protectedPaths } from "../../../src/policy/paths/protected-paths.ts";

const env = { XDG_CONFIG_HOME: "/cfg", XDG_STATE_HOME: "/state", HOME: "/home/ada" };
const rows = protectedPaths(["/extra/file"], { env, platform: "linux" });

verifies(
  "policy:protected",
  "our own files, repositories and start-up files are protected by name and place",
  () => {
    for (const path of [
      "/p/.git",
      "/p/.git/hooks/pre-commit",
      "/p/sub/.git/config",
      "/p/.indusvx/mcp.json",
      "/cfg/indusvx/mcp.json",
      "/state/indusvx/p-1/trust.json",
      "/home/ada/.cache/indusvx/code/v20/main.bin",
      "/home/ada/.indusvx/agent/mcp.json",
      "/home/ada/.bashrc",
      "/home/ada/.zshenv",
      "/home/ada/.config/fish/functions/x.fish",
      "/home/ada/.config/git/config",
      "/home/ada/.gitconfig",
      "/home/ada/.ssh/authorized_keys",
      "/etc/profile.d/x.sh",
      "/p/.env",
      "/p/.env.local",
      "/p/.mcp.json",
      "/p/.cursor/mcp.json",
      "/p/.vscode/tasks.json",
      "/p/opencode.json",
      "/home/ada/.claude.json",
      "/home/ada/.codex/config.toml",
      "/extra/file",
    ])
      expect(isProtected(path, rows), path).toBe(true);
  },
);

verifies(
  "policy:protected",
  "other spellings that a file system accepts for the same file are protected too",
  () => {
    for (const path of [
      "/p/.GIT/config",
      "/p/.git./config",
      "/p/.git /x",
      "/p/.g\u200cit/x",
      "C:\\p\\.git\\config",
      "/p/git~1/x",
      "/p/.git::$INDEX_ALLOCATION/x",
      "/home/ada/.BashRC",
    ])
      expect(isProtected(path, rows), path).toBe(true);
  },
);

verifies("policy:protected", "similar names are not", () => {
  for (const path of [
    "/p/.gitignore",
    "/p/x.git",
    "/p/git/x",
    "/p/bashrc",
    "/p/.env.example",
    "/p/env",
    "/cfg/indusvx2/x",
    "/home/ada/indusvx/src/a.ts",
    "/p/.github/workflows/x.yml",
  ])
    expect(isProtected(path, rows), path).toBe(false);
});

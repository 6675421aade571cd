import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { listingPatienceMs } from "../../src/gateway/index.ts";

const patience = (name: string): number => listingPatienceMs({ name, version: "1" });

verifies("catalogue:clients", "clients that follow changes wait briefly, all others long", () => {
  const following = [
    "claude-code",
    "gemini-cli-mcp-client",
    "gemini-cli-mcp-client-indus",
    "opencode",
    "Visual Studio Code",
    "Visual Studio Code - Insiders",
    "visual-studio-code",
  ];
  for (const name of following) expect(patience(name), name).toBe(1_500);
  const keeping = ["codex-mcp-client", "claude-ai", "cursor-vscode", "claude-code-proxy", "", "indus"];
  for (const name of keeping) expect(patience(name), name).toBe(20_000);
  expect(listingPatienceMs()).toBe(20_000);
});

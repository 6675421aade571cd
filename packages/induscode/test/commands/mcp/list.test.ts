import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openRun } from "../../../src/boot/internal.ts";
import { mcpList } from "../../../src/commands/mcp/list.ts";
import { scriptedRow, writeConfig } from "../../bin/run-indus.ts";
import { runLine, shelfRow } from "../run-line.ts";

/** What `indus mcp list` writes to standard error while one server is slow to start. */
async function progressOf(errIsScreen: boolean): Promise<string> {
  await using dir = await tempDir();
  const slow = { command: process.execPath, args: ["-e", "setTimeout(() => {}, 700)"] };
  const file = await writeConfig(dir.at("servers.json"), { quick: scriptedRow(), slow });
  let err = "";
  const terminal = { out: () => {}, err: (text: string) => void (err += text), errIsScreen };
  await using run = await openRun({ terminal, signal: new AbortController().signal, env: {} });
  await mcpList(run, {
    sources: { mcp: [file], run: [] },
    names: [],
    json: false,
    exitCode: false,
    verbose: false,
  });
  return err;
}

verifies(
  "command:list-progress",
  "a screen shows which servers are awaited; the line is removed",
  async () => {
    const [screen, pipe] = await Promise.all([progressOf(true), progressOf(false)]);
    expect(screen).toMatch(/\r(\u001b\[1A)?\u001b\[Jslow: starting, \d s/);
    expect(screen.endsWith("\r\u001b[J")).toBe(true);
    expect(pipe).toBe("");
  },
);

verifies("mcp-list:trust", "a server of a project is listed as pending, and not started", async () => {
  await using dir = await tempDir();
  await mkdir(dir.at("project/.indusvx"), { recursive: true });
  const row = scriptedRow("--starts", dir.at("starts"));
  await writeConfig(dir.at("project/.indusvx/mcp.json"), { theirs: row });
  await mkdir(dir.at("config/indusvx"), { recursive: true });
  await writeConfig(dir.at("config/indusvx/mcp.json"), { mine: shelfRow() });
  const words = ["mcp", "list", "--cwd", dir.at("project")];
  const [table, json] = await Promise.all([runLine(dir, words), runLine(dir, [...words, "--json"])]);
  expect(table.code).toBe(0);
  expect(table.out).toMatch(/^theirs +project +pending +untrusted +- +- +.*not approved/m);
  expect(table.out).toMatch(/^mine +user +yours +ready +6 +\d+ +-$/m);
  expect(JSON.parse(json.out)).toMatchObject({
    servers: [
      { server: "theirs", trust: "pending", state: "untrusted", origin: { scope: "project" } },
      { server: "mine", trust: "own", phase: "ready", estimatedTokens: expect.any(Number) },
    ],
  });
  expect(existsSync(dir.at("starts"))).toBe(false);
});

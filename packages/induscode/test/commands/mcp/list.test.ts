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

verifies("listing:pending-once", "each command says once why a row is not started", async () => {
  await using dir = await tempDir();
  await mkdir(dir.at("project/.indusvx"), { recursive: true });
  await writeConfig(dir.at("project/.indusvx/mcp.json"), { theirs: scriptedRow() });
  for (const words of ["list", "list --json", "tools", "warm", "doctor", "prompts", "call theirs__echo"]) {
    const { out, err } = await runLine(dir, ["mcp", ...words.split(" "), "--cwd", dir.at("project")]);
    const said = words === "list --json" ? err : `${out}${err}`;
    expect(said.split("is not approved").length - 1, words).toBe(words === "list --json" ? 0 : 1);
  }
});

verifies("listing:examined", "the summary is about the servers named, and not about all tools", async () => {
  await using dir = await tempDir();
  const gone = { command: "no-such-program-anywhere" };
  const file = await writeConfig(dir.at("servers.json"), { a: shelfRow(), b: gone, c: shelfRow() });
  const doctor = (...names: string[]) =>
    runLine(dir, ["mcp", "doctor", ...names, "--mcp", file, "--cwd", dir.path]);
  const [two, one, all] = await Promise.all([doctor("a", "b"), doctor("c"), doctor()]);
  expect(two.out).toMatch(/\n\nexamined 2 of 3 servers: 1 ready, 1 failed\n$/);
  expect(one.out).toMatch(/\n\nexamined 1 of 3 servers: 1 ready\n$/);
  expect(all.out).toMatch(/\n\n3 servers: 2 ready, 1 failed\. indus serve lists 12 tools: /);
});

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

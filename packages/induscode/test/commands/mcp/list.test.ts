import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openRun } from "../../../src/boot/internal.ts";
import { mcpList } from "../../../src/commands/mcp/list.ts";
import { scriptedRow, writeConfig } from "../../bin/run-indus.ts";

/** What `indus mcp list` writes to standard error while one server is slow to start. */
async function progressOf(errIsScreen: boolean): Promise<string> {
  await using dir = await tempDir();
  const slow = { command: process.execPath, args: ["-e", "setTimeout(() => {}, 1500)"] };
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
    expect(screen).toMatch(/\r\u001b\[Kwaiting \d s for 1: slow/);
    expect(screen.endsWith("\r\u001b[K")).toBe(true);
    expect(pipe).toBe("");
  },
);

import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, muteRow, scriptedRow, startedPids, untilGone, writeConfig } from "./run-indus.ts";
import { startInTerminal } from "./terminal-indus.ts";

const POSIX = ["linux", "darwin"] as const;

verifies(
  "command:list-progress",
  "in a terminal one line shows the servers that still start; Ctrl-C removes it and ends everything",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const file = await writeConfig(dir.at("servers.json"), { stuck: muteRow(starts), good: scriptedRow() });
    using indus = startInTerminal(["mcp", "list", "--mcp", file]);
    const pids = await startedPids(starts, 1);
    await eventually(() => /^waiting \d+ s for 1: stuck$/m.test(indus.screen()) || undefined);
    indus.press("\u0003");
    expect(await indus.ended).toBe(130);
    await untilGone(pids);
    expect(indus.screen()).not.toContain("waiting");
    expect(indus.isRestored()).toBe(true);
  },
  { only: POSIX },
);

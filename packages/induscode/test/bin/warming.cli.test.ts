import { setTimeout as pause } from "node:timers/promises";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import {
  runIndus,
  scriptedRow,
  startedPids,
  startIndus,
  stubbornRow,
  untilGone,
  writeConfig,
} from "./run-indus.ts";

verifies(
  "starts:warm",
  "every server is started once, with one line each; one failure is exit code 1",
  async () => {
    await using dir = await tempDir();
    const crash = { command: process.execPath, args: ["-e", "console.error('no key'); process.exit(3)"] };
    const file = await writeConfig(dir.at("servers.json"), {
      good: scriptedRow(),
      off: { ...scriptedRow(), enabled: false },
      bad: crash,
    });
    const { code, out, err } = await runIndus(["mcp", "warm", "--mcp", file]);
    const lines = out.trim().split("\n").toSorted();
    expect(lines).toEqual([
      expect.stringMatching(
        /^bad: failed after (?:\d+ ms|\d+(?:\.\d)? s): server "bad" exited before it was connected/,
      ),
      expect.stringMatching(/^good: ready after (?:\d+ ms|\d+(?:\.\d)? s), \d+ tools$/),
      "off: disabled",
    ]);
    expect([code, err]).toEqual([1, ""]);
    const onlyGood = await writeConfig(dir.at("good.json"), { good: scriptedRow() });
    expect((await runIndus(["mcp", "warm", "--mcp", onlyGood])).code).toBe(0);
  },
);

verifies("starts:warm", "a configuration without servers is one line and exit code 1", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("empty.json"), {});
  const { code, out, err } = await runIndus(["mcp", "warm", "--mcp", file]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/no servers; add one under "mcpServers"\n$/);
});

verifies(
  "starts:stop",
  "Ctrl-C while the queue is full ends everything, and nothing starts after it",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const rows = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`s${n}`, stubbornRow(starts)]));
    const file = await writeConfig(dir.at("servers.json"), rows);
    using indus = startIndus(["mcp", "warm", "--mcp", file]);
    await startedPids(starts, 1);
    indus.child.kill("SIGINT");
    expect(await indus.ended).toBe(130);
    const pids = await startedPids(starts, 1);
    await untilGone(pids);
    await pause(500);
    expect(await startedPids(starts, 1)).toEqual(pids);
    expect(pids.length).toBeLessThan(40);
    expect(indus.out()).toBe("");
  },
  { only: ["linux", "darwin"] },
);

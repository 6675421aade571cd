import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { atSize, buildProgram, tempDir, verifies } from "@indus/testkit";
import { createDeckContext, daemonCard, provisionDeck } from "induscode/deck";
import { expect } from "vitest";
import {
  aliveWith,
  becomesTrue,
  newMark,
} from "../../../../../indusagi/test/core/process-tree/tree-shapes.ts";
import { openCard } from "../card-session.ts";

const only = ["linux"] as const;

verifies(
  "cards:bg-cap",
  "of two hundred concurrent starts fifty run and are listed; all are gone when the deck is closed",
  async () => {
    await using dir = await tempDir();
    await using deck = provisionDeck("all", createDeckContext(dir.path));
    const { runner } = deck.intoToolBox();
    const run = (input: object) => runner.run({ id: "c1", name: "bg-process", input });
    const mark = newMark();
    const command = `sleep ${mark} & exec sleep ${mark}`;
    const starts = await Promise.all(Array.from({ length: 200 }, () => run({ action: "start", command })));
    const refused = starts.filter(({ isError }) => isError);
    expect(refused.length).toBe(150);
    expect(refused[0]?.output).toBe("bg-process: 50 jobs are running, which is the limit; stop one first");
    expect(await becomesTrue(() => aliveWith(mark).length === 100, 30_000)).toBe(true);
    const listed = await run({ action: "list" });
    expect(listed.result.structured).toMatchObject({ jobs: { length: 50 } });
    expect(String(listed.output).split("\n").length).toBe(51);

    await run({ action: "stop", id: "bg-1" });
    expect((await run({ action: "start", command })).isError).toBe(false);
    await deck.close();
    expect(aliveWith(mark)).toEqual([]);
    expect(readdirSync(dir.at(".indusvx-bg"))).toEqual([".gitignore"]);
  },
  { only, timeoutMs: 120_000 },
);

verifies(
  "cards:bg-cap",
  "the number of remembered ended jobs is limited, with their logs",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(daemonCard({ settleMs: 30_000 }), dir.path);
    const crashes = atSize({ quick: 0, full: 200 });
    for (let crash = 0; crash < crashes; crash += 1) await card.run({ action: "start", command: "exit 1" });
    const { structured } = await card.run({ action: "list" });
    expect((structured["jobs"] as readonly unknown[]).length).toBe(Math.min(50, crashes));
    if (crashes > 0) expect(readdirSync(dir.at(".indusvx-bg")).length).toBeLessThanOrEqual(52);
  },
  { only, timeoutMs: 120_000 },
);

verifies(
  "cards:bg-session",
  "jobs of a session that is killed end too",
  async () => {
    using built = await buildProgram(new URL("daemon-program.ts", import.meta.url));
    await using dir = await tempDir();
    const mark = newMark();
    const command = `(setsid sleep ${mark} &); sleep ${mark} & wait`;
    const owner = spawn(process.execPath, [built.path, dir.path, command], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(owner.stdout, "data");
      expect(await becomesTrue(() => aliveWith(mark).length >= 3, 30_000)).toBe(true);
      const ended = once(owner, "exit");
      owner.kill("SIGKILL");
      await ended;
      expect(await becomesTrue(() => aliveWith(mark).length === 0, 30_000)).toBe(true);
    } finally {
      owner.kill("SIGKILL");
    }
  },
  { only, timeoutMs: 120_000 },
);

import { readdirSync } from "node:fs";
import { atSize, tempDir, verifies } from "@indus/testkit";
import { daemonCard } from "induscode/deck";
import { expect } from "vitest";
import { aliveWith, newMark } from "../../../../../indusagi/test/core/process-tree/tree-shapes.ts";
import { openCard } from "../card-session.ts";

const only = ["linux"] as const;

verifies(
  "cards:bg-cap",
  "of two hundred concurrent starts fifty run and are listed; all are gone when the session has ended",
  async () => {
    await using dir = await tempDir();
    const card = openCard(daemonCard(), dir.path);
    const mark = newMark();
    const command = `sleep ${mark} & exec sleep ${mark}`;
    const starts = await Promise.all(
      Array.from({ length: 200 }, () => card.run({ action: "start", command })),
    );
    const refused = starts.filter(({ outcome }) => outcome.isError);
    expect(refused.length).toBe(150);
    expect(refused[0]?.text).toBe("bg-process: 50 jobs are running, which is the limit; stop one first");
    expect(aliveWith(mark).length).toBe(100);
    const { structured, text } = await card.run({ action: "list" });
    expect(structured["jobs"]).toHaveLength(50);
    expect(text.split("\n").length).toBe(51);

    await card.run({ action: "stop", id: "bg-1" });
    expect((await card.run({ action: "start", command })).outcome.isError).toBe(false);
    await card.session.close();
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
    await using card = openCard(daemonCard({ settleMs: 10_000 }), dir.path);
    const crashes = atSize({ quick: 0, full: 200 });
    for (let crash = 0; crash < crashes; crash += 1) await card.run({ action: "start", command: "exit 1" });
    const { structured } = await card.run({ action: "list" });
    expect((structured["jobs"] as readonly unknown[]).length).toBe(Math.min(50, crashes));
    if (crashes > 0) expect(readdirSync(dir.at(".indusvx-bg")).length).toBeLessThanOrEqual(52);
  },
  { only, timeoutMs: 120_000 },
);

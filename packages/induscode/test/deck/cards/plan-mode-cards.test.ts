import { tempDir, verifies } from "@indus/testkit";
import { enterPlanModeCard, exitPlanModeCard } from "induscode/deck";
import { expect } from "vitest";
import { openCard } from "./card-session.ts";

verifies("cards:plan-mode", "both cards are read-only and return words and a marker", async () => {
  await using dir = await tempDir();
  await using enter = openCard(enterPlanModeCard(), dir.path);
  await using leave = openCard(exitPlanModeCard(), dir.path);
  expect([enter.capability.readOnly, leave.capability.readOnly]).toEqual([true, true]);

  const entered = await enter.run({});
  expect(entered.text).toMatch(/Explore only/);
  expect(entered.structured).toEqual({ enterPlanMode: true, applied: false });
  expect(entered.outcome.result.content[1]).toEqual({ kind: "json", value: entered.structured });

  const left = await leave.run({ plan: "# Plan\n1. do it" });
  expect(left.structured).toEqual({ exitPlan: true, plan: "# Plan\n1. do it" });
  expect((await leave.run({})).text).toMatch(/^exit_plan_mode: .*plan/);
});

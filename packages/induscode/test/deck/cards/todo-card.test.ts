import { tempDir, verifies } from "@indus/testkit";
import { TodoLedger, todoCard } from "induscode/deck";
import { expect } from "vitest";
import { openCard } from "./card-session.ts";

verifies("cards:todo", "set replaces the list; both actions show glyphs, weights and counts", async () => {
  await using dir = await tempDir();
  await using card = openCard(todoCard(), dir.path);
  const items = [
    { task: "plan", state: "done", weight: "low" },
    { task: "build", state: "active", weight: "high" },
    { task: "test", state: "pending", weight: "normal" },
    { task: "rewrite", state: "dropped", weight: "normal" },
  ];
  const set = await card.run({ action: "set", items });
  expect(set.text).toBe(
    "[x] plan (low)\n[~] build (high)\n[ ] test\n[-] rewrite\n4 items: 1 pending, 1 active, 1 done, 1 dropped",
  );
  expect((await card.run({ action: "read" })).structured).toEqual({ items });

  const replaced = await card.run({ action: "set", items: [{ task: "only" }] });
  expect(replaced.text).toBe("[ ] only\n1 item: 1 pending");
  expect(replaced.structured).toEqual({ items: [{ task: "only", state: "pending", weight: "normal" }] });
  expect((await card.run({ action: "set", items: [] })).text).toBe("the list is empty");
});

verifies("cards:todo", "a wrong list changes nothing", async () => {
  await using dir = await tempDir();
  await using card = openCard(todoCard(), dir.path);
  await card.run({ action: "set", items: [{ task: "keep" }] });
  expect((await card.run({ action: "set" })).text).toBe('todo: "items" is missing; set needs the whole list');
  const bad = await card.run({ action: "set", items: [{ task: "new" }, { task: "x", state: "later" }] });
  expect(bad.outcome.isError).toBe(true);
  expect(bad.text).toMatch(/^todo: .*state/);
  expect((await card.run({ action: "read" })).text).toContain("[ ] keep");
});

verifies("cards:todo", "a ledger keeps its own copy of the items", () => {
  const ledger = new TodoLedger();
  const items = [{ task: "a", state: "pending" as const, weight: "low" as const, extra: 1 }];
  ledger.set(items);
  items.pop();
  expect(ledger.read()).toEqual([{ task: "a", state: "pending", weight: "low" }]);
});

import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { benchPage, benchRow, budgetProblems, isMissed } from "../bench/gate.ts";
import { figureOf } from "../bench/measure.ts";

const measured = (samples: readonly number[], budget: number) => ({
  id: "case",
  summary: "ours / theirs",
  figure: figureOf(samples),
  budget,
});

verifies("house:bench-gate", "a median up to 10 % above the budget passes, a higher one is a miss", () => {
  expect(isMissed(measured([1.1], 1))).toBe(false);
  expect(isMissed(measured([1.11], 1))).toBe(true);
  expect(isMissed(measured([], 1))).toBe(true);
});

verifies("house:bench-gate", "many good rounds do not hide a bad median", () => {
  expect(isMissed(measured([0.5, 0.5, 0.5, 2, 2, 2, 2], 1))).toBe(true);
  expect(isMissed(measured([0.5, 0.5, 0.5, 0.5, 2, 2, 2], 1))).toBe(false);
});

verifies("house:bench-gate", "the page and the row show a miss", () => {
  const miss = measured([2], 1);
  expect(benchRow(miss)).toBe("| case | ours / theirs | 2.00 | 2.00–2.00 | 1 | **MISSED** |");
  expect(benchRow(measured([1], 1))).toContain("| ok |");
  expect(benchPage([miss], "here")).toContain("here. **1 of 1 budgets were missed:** `case`.");
  expect(benchPage([measured([1], 1)], "here")).toContain("here. All 1 budgets were met.");
});

verifies("house:bench-gate", "every case has a budget and every budget a case", () => {
  expect(budgetProblems(["a", "b"], { a: 1, b: 1 })).toEqual([]);
  expect(budgetProblems(["a", "b"], { a: 1, c: 1 })).toEqual([
    "b has no budget",
    "the budget c belongs to no case",
  ]);
});

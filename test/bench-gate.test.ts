import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { benchPage, benchRow, budgetProblems, isMissed } from "../bench/gate.ts";
import { figureOf } from "../bench/measure.ts";
import { benchmarksPage } from "../bench/peers/page.ts";

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
  const run = (samples: readonly number[], node = "20") => ({
    rows: [measured(samples, 1)],
    node,
    where: `here, ${node}`,
  });
  expect(benchPage(run([2]))).toContain("here, 20. **1 of 1 budgets were missed:** `case`.");
  const met = benchPage(run([1]));
  expect(met).toContain("here, 20. All 1 budgets were met.");
  // Each version of Node has a section, which stays when another one is measured.
  const both = benchPage(run([2], "24"), met);
  expect(both.startsWith(met)).toBe(true);
  expect(both).toContain("## Node 24\n\nhere, 24. **1 of 1 budgets were missed");
  expect(benchPage(run([1]), both)).toBe(both);
  expect(benchPage(run([2], "24"), both)).toBe(both);
  expect(benchPage(run([1], "22"), both).match(/^## .*$/gm)).toEqual([
    "## Node 20",
    "## Node 22",
    "## Node 24",
  ]);
});

verifies("house:bench-gate", "every case has a budget and every budget a case", () => {
  expect(budgetProblems(["a", "b"], { a: 1, b: 1 })).toEqual([]);
  expect(budgetProblems(["a", "b"], { a: 1, c: 1 })).toEqual([
    "b has no budget",
    "the budget c belongs to no case",
  ]);
});

verifies("house:benchmarks-page", "the page of the peers says where somebody else is ahead", () => {
  const part = {
    title: "Clients",
    notes: [],
    columns: ["Indus", "fast", "slow"],
    where: "here",
    rows: [
      { work: "lost", base: "raw", cells: [2, 1.5, 1.8] },
      { work: "equal", base: "raw", cells: [1.02, 1, null] },
      { work: "alone", base: "raw", cells: [1, null, null] },
    ],
  };
  const page = benchmarksPage({ parts: [part], growth: [], versions: { fast: "1.2.3" } });
  expect(page).toContain("fast 1.2.3");
  expect(page).toContain("| equal | raw | 1.02 | 1.00 | – |");
  const [, lost = ""] = page.split("## Where we lose");
  expect(lost.trim().split("\n").slice(2)).toEqual(["| lost | 2.00 | 1.50 | fast |"]);
  const [won] = part.rows.slice(2);
  const better = benchmarksPage({ parts: [{ ...part, rows: won ? [won] : [] }], growth: [], versions: {} });
  expect(better).toContain("Nowhere in these tables.");
});

import { setMaxListeners } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { facadeCases } from "./facade.ts";
import { hostCases } from "./host.ts";
import { interopCases } from "./interop.ts";
import { kernelCases } from "./kernel.ts";
import type { Figure } from "./measure.ts";
import { startUpCases } from "./start-up.ts";
import { toolCases } from "./tools.ts";

// The SDK's client adds a listener to one signal with every request, and node warns of each above a limit.
setMaxListeners(0);

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const budgets = JSON.parse(readFileSync(here("budgets.json"), "utf8")) as { readonly [id: string]: number };
const cases: readonly BenchCase[] = [
  ...kernelCases,
  ...startUpCases,
  ...toolCases,
  ...interopCases,
  ...hostCases,
  ...facadeCases,
];

const only = process.argv.slice(2);
const rows: string[] = [];
let missed = 0;
for (const bench of cases.filter(({ id }) => only.length === 0 || only.includes(id))) {
  const budget = budgets[bench.id];
  if (budget === undefined) throw new Error(`bench ${bench.id} has no budget in budgets.json`);
  const figure = await bench.measure();
  // A busy machine disturbs many rounds, but hardly three quarters of them.
  const verdict = figure.quarter <= budget ? "ok" : "MISSED";
  if (verdict === "MISSED") missed++;
  rows.push(row(bench, figure, { budget, verdict }));
  console.log(rows.at(-1));
}
if (only.length === 0) writeFileSync(here("../docs/bench.md"), page(rows));
if (missed > 0) {
  console.error(`${missed} budget(s) missed`);
  process.exitCode = 1;
}

function row(
  { id, summary }: BenchCase,
  figure: Figure,
  { budget, verdict }: { budget: number; verdict: string },
): string {
  return `| ${id} | ${summary} | ${figure.median.toFixed(2)} | ${figure.quarter.toFixed(2)} | ${budget} | ${verdict} |`;
}

function page(lines: readonly string[]): string {
  return [
    "# Bench",
    "",
    "Written by `npm run bench`. Each figure is a ratio inside one run: the median over alternated rounds of variant / base.",
    "Budgets are in `bench/budgets.json`; a budget counts as missed when more than three quarters of the rounds miss it.",
    "",
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}.`,
    "",
    "| id | what / base | median | best quarter | budget | |",
    "|---|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

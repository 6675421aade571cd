// Measures every case and writes docs/bench.md. With ids as arguments it measures only those and writes nothing:
//   npm run bench -- host-http host-http-64
import { setMaxListeners } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { commandCases } from "./command.ts";
import { deckCases } from "./deck.ts";
import { economyCases } from "./economy.ts";
import { facadeCases } from "./facade.ts";
import { type BenchRow, benchPage, benchRow, budgetProblems, isMissed } from "./gate.ts";
import { gatewayCases } from "./gateway.ts";
import { hostCases } from "./host.ts";
import { interopCases } from "./interop.ts";
import { kernelCases } from "./kernel.ts";
import { ledgerCases } from "./ledger.ts";
import { policyCases } from "./policy.ts";
import { serveCallCases } from "./serve/calls.ts";
import { pollCases } from "./serve/polls.ts";
import { serveSizeCases } from "./serve/sizes.ts";
import { sessionCases } from "./session.ts";
import { sessionStartCases } from "./session-start.ts";
import { startUpCases } from "./start-up.ts";
import { terminalCases } from "./terminal.ts";
import { toolCases } from "./tools.ts";

// The SDK's client adds a listener to one signal with every request; Node warns about each above a limit.
setMaxListeners(0);

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const budgets = JSON.parse(readFileSync(here("budgets.json"), "utf8")) as { readonly [id: string]: number };
const cases: readonly BenchCase[] = [
  ...kernelCases,
  ...startUpCases,
  ...toolCases,
  ...interopCases,
  ...hostCases,
  ...gatewayCases,
  ...serveCallCases,
  ...pollCases,
  ...serveSizeCases,
  ...facadeCases,
  ...deckCases,
  ...economyCases,
  ...policyCases,
  ...ledgerCases,
  ...commandCases,
  ...terminalCases,
  ...sessionCases,
  ...sessionStartCases,
];

const only = process.argv.slice(2);
const ids = cases.map(({ id }) => id);
const problems = [
  ...budgetProblems(ids, budgets),
  ...only.filter((id) => !ids.includes(id)).map((id) => `there is no case ${id}`),
];
if (problems.length > 0) throw new Error(`bench: ${problems.join("; ")}. Cases: ${ids.join(" ")}`);

const rows: BenchRow[] = [];
for (const { id, summary, measure } of cases) {
  if (only.length > 0 && !only.includes(id)) continue;
  const row = { id, summary, figure: await measure(), budget: budgets[id] ?? Number.NaN };
  rows.push(row);
  console.log(benchRow(row));
}
const where = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}`;
if (only.length === 0) writeFileSync(here("../docs/bench.md"), benchPage(rows, where));

const missed = rows.filter(isMissed).length;
if (missed > 0) {
  console.error(`${missed} budget(s) missed`);
  process.exitCode = 1;
}

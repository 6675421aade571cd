// Measures every case and writes docs/bench.md. With ids or a pattern it measures only those and writes nothing:
//   npm run bench -- host-http host-http-64
//   npm run bench -- --only lane
// Another version of Node comes from npm. It measures the goals of the fast lane, and writes them below the others:
//   npm run bench -- --node 24
// A trial measures one round of each, to see whether they run, and writes nothing:
//   npm run bench -- --trial [--only PATTERN]
// Each row says on standard error how long it took.
import { setMaxListeners } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { backgroundCases } from "./background.ts";
import type { BenchCase } from "./case.ts";
import { clusterCases } from "./cluster.ts";
import { codeCases } from "./code.ts";
import { commandCases } from "./command.ts";
import { consoleCases } from "./console.ts";
import { deckCases } from "./deck.ts";
import { economyCases } from "./economy.ts";
import { facadeCases } from "./facade.ts";
import { type BenchRow, benchPage, benchRow, budgetProblems, isMissed } from "./gate.ts";
import { gatewayCases } from "./gateway.ts";
import { hostCases } from "./host.ts";
import { interopCases } from "./interop.ts";
import { kernelCases } from "./kernel.ts";
import { laneCases } from "./lane/cases.ts";
import { ledgerCases } from "./ledger.ts";
import { TRIAL } from "./measure.ts";
import { runOnNode } from "./node-version.ts";
import { policyCases } from "./policy.ts";
import { serveCallCases } from "./serve/calls.ts";
import { pollCases } from "./serve/polls.ts";
import { serveSizeCases } from "./serve/sizes.ts";
import { sessionCases } from "./session.ts";
import { sessionStartCases } from "./session-start.ts";
import { startUpCases } from "./start-up.ts";
import { terminalCases } from "./terminal.ts";
import { toolCases } from "./tools.ts";

// It makes every start of Node slower, and so improves the ratio to a base that starts Node.
delete process.env["NODE_EXTRA_CA_CERTS"];
// The SDK's client adds a listener to one signal with every request; Node warns about each above a limit.
setMaxListeners(1_000); // Not 0: undici could not read the limit of a signal then.

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
  ...consoleCases,
  ...backgroundCases,
  ...clusterCases,
  ...facadeCases,
  ...deckCases,
  ...economyCases,
  ...codeCases,
  ...policyCases,
  ...ledgerCases,
  ...commandCases,
  ...terminalCases,
  ...sessionCases,
  ...sessionStartCases,
  ...laneCases,
];

const { values, positionals } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    node: { type: "string" },
    trial: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const OLDEST = "20";
/** Clients, gateways and commands against programs written by hand: what a version of Node changes most. */
const GOALS = /^(lane-|command-help$|mcp-list-of)/;
const major = process.versions.node.split(".")[0] ?? "";
if (values.node !== undefined && values.node !== major) {
  const rest = [
    ...positionals,
    ...(TRIAL ? ["--trial"] : []),
    ...(values.only ?? []).flatMap((pattern) => ["--only", pattern]),
  ];
  process.exit(runOnNode(values.node, here("run.ts"), rest));
}

const patterns = values.only?.map((text) => new RegExp(text)) ?? [];
const ids = cases.map(({ id }) => id);
const problems = [
  ...budgetProblems(ids, budgets),
  ...positionals.filter((id) => !ids.includes(id)).map((id) => `there is no case ${id}`),
  ...patterns
    .filter((pattern) => !ids.some((id) => pattern.test(id)))
    .map((pattern) => `no case matches --only ${pattern.source}`),
];
if (problems.length > 0) throw new Error(`bench: ${problems.join("; ")}. Cases: ${ids.join(" ")}`);
const isPartial = positionals.length + patterns.length > 0;
/** What a run without names measures: everything on the oldest Node that we support, where most of it is alike on newer ones. */
const usual = major === OLDEST ? cases : cases.filter(({ id }) => GOALS.test(id));
const chosen = isPartial
  ? cases.filter(({ id }) => positionals.includes(id) || patterns.some((pattern) => pattern.test(id)))
  : usual;

const rows: BenchRow[] = [];
for (const { id, summary, skip, measure } of chosen) {
  if (skip !== undefined) {
    console.log(`${id} is skipped: ${skip}`);
    continue;
  }
  const startMs = performance.now();
  const row = { id, summary, figure: await measure(), budget: budgets[id] ?? Number.NaN };
  rows.push(row);
  console.log(benchRow(row));
  process.stderr.write(`${id}: ${((performance.now() - startMs) / 1000).toFixed(1)} s\n`);
}
const where = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}`;
const page = here("../docs/bench.md");
if (!isPartial && !TRIAL)
  writeFileSync(page, benchPage({ rows, node: major, where }, readFileSync(page, "utf8")));

const missed = rows.filter(isMissed).length;
if (missed > 0 && !TRIAL) {
  console.error(`${missed} budget(s) missed`);
  process.exitCode = 1;
}

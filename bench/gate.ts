import type { Figure } from "./measure.ts";

/** A median may exceed its budget by 10 %: the same code measured twice differs by about that much. */
const SLACK = 0.1;

/** One measured case. */
export interface BenchRow {
  readonly id: string;
  readonly summary: string;
  readonly figure: Figure;
  readonly budget: number;
}

/** The gate looks at the median only. A figure without samples has no median, which is a miss as well. */
export function isMissed({ figure, budget }: Pick<BenchRow, "figure" | "budget">): boolean {
  return !(figure.median <= budget * (1 + SLACK));
}

/** What is wrong with the list of budgets: a case without a budget, or a budget without a case. */
export function budgetProblems(
  caseIds: readonly string[],
  budgets: { readonly [id: string]: number },
): string[] {
  return [
    ...caseIds.filter((id) => budgets[id] === undefined).map((id) => `${id} has no budget`),
    ...Object.keys(budgets)
      .filter((id) => !caseIds.includes(id))
      .map((id) => `the budget ${id} belongs to no case`),
  ];
}

export function benchRow(row: BenchRow): string {
  const { id, summary, figure, budget } = row;
  const half = `${figure.lower.toFixed(2)}–${figure.upper.toFixed(2)}`;
  const verdict = isMissed(row) ? "**MISSED**" : "ok";
  return `| ${id} | ${summary} | ${figure.median.toFixed(2)} | ${half} | ${budget} | ${verdict} |`;
}

/** What one version of Node measured. */
export interface BenchRun {
  readonly rows: readonly BenchRow[];
  /** The major version. */
  readonly node: string;
  /** The date, the version and the platform of the run. */
  readonly where: string;
}

/** The page `docs/bench.md` after a run. Sections of other versions of Node stay as they are in the page before. */
export function benchPage({ rows, node, where }: BenchRun, before = ""): string {
  const sections = new Map(
    [...before.matchAll(SECTION)].map(([text, major = ""]) => [major, text.trimEnd()]),
  );
  const missed = rows.filter(isMissed).map(({ id }) => `\`${id}\``);
  const result =
    missed.length === 0
      ? `All ${rows.length} budgets were met.`
      : `**${missed.length} of ${rows.length} budgets were missed:** ${missed.join(", ")}.`;
  const section = [
    `## Node ${node}`,
    "",
    `${where}. ${result}`,
    "",
    "| id | variant / base | median | half | budget | |",
    "|---|---|---|---|---|---|",
    ...rows.map(benchRow),
  ].join("\n");
  sections.set(node, section);
  return [
    "# Bench",
    "",
    "Written by `npm run bench`. A figure is the median over alternated rounds of variant / base, measured in one run, except",
    "where the row names a unit. The column “half” shows the range of the middle half of the rounds.",
    "",
    `The gate: budgets are in \`bench/budgets.json\`. A budget is missed when the median is above budget × ${(1 + SLACK).toFixed(2)}. The`,
    `slack of ${SLACK * 100} % covers the noise of a shared machine. One miss makes \`npm run bench\` exit with code 1.`,
    "",
    [...sections.entries()]
      .toSorted(([a], [b]) => Number(a) - Number(b))
      .map(([, text]) => text)
      .join("\n\n"),
    "",
  ].join("\n");
}

const SECTION = /^## Node (\d+)\n[^]*?(?=^## |(?![^]))/gm;

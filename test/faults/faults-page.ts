import type { Figure } from "../kit/figures.ts";

/** One case of a run. */
export interface CaseRow {
  readonly name: string;
  readonly outcome: string;
  readonly seconds: string;
}

/** The content of `docs/faults.md`. */
export interface FaultsPage {
  /** One line per run: date, Node version, platform, result. */
  readonly facts: readonly string[];
  readonly figures: readonly Figure[];
  readonly cases: readonly CaseRow[];
}

const INTRO = `# Faults: results of the long run

Written by \`npm run faults\`: the fault cases of \`npm test\` at full size, one file at a time.
`;
const FIGURES = "| what | how much | found |";
const CASES = "| case | outcome | seconds |";
const RULE = "|---|---|---|";

export function writePage({ facts, figures, cases }: FaultsPage): string {
  return [
    INTRO,
    ...facts.flatMap((fact) => [fact, ""]),
    "## Figures",
    "",
    FIGURES,
    RULE,
    ...figures.map(({ what, size, found }) => row(what, size, found)),
    "",
    "## Cases",
    "",
    CASES,
    RULE,
    ...cases.map(({ name, outcome, seconds }) => row(name, outcome, seconds)),
    "",
  ].join("\n");
}

/** Reads what `writePage` wrote. */
export function readPage(text: string): FaultsPage {
  const lines = text.split("\n");
  const facts = lines.filter((line) => /^\d{4}-\d\d-\d\d/.test(line));
  return {
    facts,
    figures: rowsAfter(lines, FIGURES).map(([what = "", size = "", found = ""]) => ({ what, size, found })),
    cases: rowsAfter(lines, CASES).map(([name = "", outcome = "", seconds = ""]) => ({
      name,
      outcome,
      seconds,
    })),
  };
}

/** A page in which the results of a later run of some files replace the old ones. */
export function mergePages(page: FaultsPage, again: FaultsPage): FaultsPage {
  const isNew = new Set(again.figures.map(({ what }) => what));
  const fresh = new Map(again.cases.map((each) => [each.name, each]));
  const kept = page.cases.map((each) => {
    const now = fresh.get(each.name);
    fresh.delete(each.name);
    // A case that was skipped this time keeps its old result.
    return now === undefined || now.outcome === "skipped" ? each : now;
  });
  const figures = [...page.figures.filter(({ what }) => !isNew.has(what)), ...again.figures];
  return {
    facts: [...page.facts, ...again.facts],
    figures: figures.sort((a, b) => (a.what < b.what ? -1 : 1)),
    cases: [...kept, ...fresh.values()],
  };
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function rowsAfter(lines: readonly string[], head: string): string[][] {
  const start = lines.indexOf(head) + 2;
  if (start === 1) return [];
  const end = lines.findIndex((line, at) => at >= start && !line.startsWith("|"));
  return lines.slice(start, end === -1 ? undefined : end).map((line) =>
    line
      .slice(2, -2)
      .split(/(?<!\\) \| /)
      .map((cell) => cell.replaceAll("\\|", "|")),
  );
}

/** One kind of work, measured for each column. */
export interface WorkRow {
  readonly work: string;
  /** What 1.00 is, or the unit of the figures. */
  readonly base: string;
  /** By column. Null where a column cannot do the work, or failed. */
  readonly cells: readonly (number | null)[];
}

/** One table of the page. Its first column is ours. */
export interface ComparedPart {
  readonly title: string;
  /** What a reader must know about the table. */
  readonly notes: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly WorkRow[];
  /** The date, the Node version and the platform of the run. */
  readonly where: string;
}

export interface PageOptions {
  readonly parts: readonly ComparedPart[];
  readonly growth: readonly ComparedPart[];
  readonly versions: { readonly [name: string]: string };
}

/** The page `docs/benchmarks.md`. */
export function benchmarksPage({ parts, growth, versions }: PageOptions): string {
  const losses = parts.flatMap(lossesIn);
  return [
    "# Benchmarks",
    "",
    "Written by `npm run bench:peers`, which installs the others at exactly these versions into a temporary folder:",
    `${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}.`,
    "",
    "## Method",
    "",
    "A figure is a ratio inside one run: the median over alternated rounds of (this program / a program written by hand on Node",
    "alone that does the same at the same server). 1.00 is therefore what Node itself needs; smaller is better. The server is",
    "`bench/lane/echo.mjs`; it imports nothing. `NODE_EXTRA_CA_CERTS` is not set. A dash means that the program cannot do this",
    "work or failed at it. Gateways are started as their documentation shows, in front of one stdio server. Other programs may have",
    "run on the same machine: figures within about 10 % of each other are equal. Our own goals are gated by `npm run bench`.",
    "",
    ...parts.flatMap((part) => [...tableOf(part), ""]),
    "## Where we lose",
    "",
    ...(losses.length === 0
      ? ["Nowhere in these tables."]
      : [
          "| work | Indus | better | |",
          "|---|---|---|---|",
          ...losses.map(
            ({ work, ours, theirs, by }) => `| ${work} | ${shown(ours)} | ${shown(theirs)} | ${by} |`,
          ),
        ]),
    "",
    ...growth.flatMap((part) => [...tableOf(part), ""]),
  ].join("\n");
}

/** A work at which a column is better than ours. */
interface Loss {
  readonly work: string;
  readonly ours: number;
  readonly theirs: number;
  readonly by: string;
}

/** The column of a gateway that only shows what every gateway costs. */
export const LIMIT = "hand-written";

/** Where somebody else is ahead by more than the noise of the figures. The best of the others is named. */
function lossesIn({ columns, rows }: Pick<ComparedPart, "columns" | "rows">): Loss[] {
  return rows.flatMap(({ work, cells: [ours = null, ...others] }) => {
    const peers = others.map((cell, at) => (columns[at + 1] === LIMIT ? null : cell));
    const best = Math.min(...peers.map((cell) => cell ?? Number.POSITIVE_INFINITY));
    if (ours === null || best * NOISE >= ours) return [];
    return [{ work, ours, theirs: best, by: columns[others.indexOf(best) + 1] ?? "" }];
  });
}

/** Figures that differ by less are equal. */
const NOISE = 1.05;

function tableOf({ title, notes, columns, rows, where }: ComparedPart): string[] {
  return [
    `## ${title}`,
    "",
    ...notes,
    `${where}.`,
    "",
    `| work | 1.00 is | ${columns.join(" | ")} |`,
    `|---|---|${columns.map(() => "---|").join("")}`,
    ...rows.map(({ work, base, cells }) => `| ${work} | ${base} | ${cells.map(shown).join(" | ")} |`),
  ];
}

function shown(cell: number | null): string {
  if (cell === null) return "–";
  return cell >= 100 ? String(Math.round(cell)) : cell.toFixed(2);
}

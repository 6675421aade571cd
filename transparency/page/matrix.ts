import type { Cell } from "../cells.ts";
import type { Feature } from "../plan/step.ts";
import { stepsOf, tallyOf } from "./tally.ts";

const COLUMNS: readonly Feature[] = [
  "tool",
  "elicit",
  "sample",
  "roots",
  "progress",
  "cancel",
  "list-changed",
  "log",
  "extensions",
  "apps",
  "tasks",
  "skills",
  "hints",
];
const ERAS = ["legacy", "modern"] as const;

/** The four pairs of eras by what happens inside a call, on all servers, doors and transports. */
export function matrixLines(cells: readonly Cell[]): string[] {
  const rows = ERAS.flatMap((clientEra) =>
    ERAS.map((serverEra) => {
      const own = stepsOf(
        cells.filter((cell) => cell.clientEra === clientEra && cell.subject.era === serverEra),
      );
      const shown = COLUMNS.map((feature) => {
        const { steps, different } = tallyOf(own.filter((verdict) => verdict.feature === feature));
        if (steps === 0) return "-";
        return different === 0 ? `yes (${steps})` : `**${steps - different} of ${steps}**`;
      });
      return `| ${clientEra} | ${serverEra} | ${shown.join(" | ")} |`;
    }),
  );
  return [
    "## Every pair of eras",
    "",
    "*Yes* means: identical or justified on every server, transport and door, in as many steps.",
    "",
    `| client | server | ${COLUMNS.join(" | ")} |`,
    `|---|---|${COLUMNS.map(() => "---|").join("")}`,
    ...rows,
    "",
  ];
}

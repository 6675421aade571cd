import type { Cell } from "../cells.ts";
import { inlineCode } from "./inline-code.ts";

/** The reasons, with what they were needed for. */
export function justifiedLines(cells: readonly Cell[]): string[] {
  const byReason = new Map<string, { steps: Set<string>; count: number }>();
  for (const { verdicts } of cells)
    for (const { step, kind, reasons } of verdicts)
      for (const reason of kind === "justified" ? reasons : []) {
        const found = byReason.get(reason) ?? { steps: new Set(), count: 0 };
        found.steps.add(step);
        found.count += 1;
        byReason.set(reason, found);
      }
  if (byReason.size === 0) return [];
  return [
    "## Justified differences",
    "",
    "| reason | steps | times |",
    "|---|---|---|",
    ...[...byReason]
      .sort(([, a], [, b]) => b.count - a.count)
      .map(
        ([reason, { steps, count }]) => `| ${reason} | ${[...steps].map(inlineCode).join(", ")} | ${count} |`,
      ),
    "",
  ];
}

interface Group {
  readonly example: string;
  readonly cells: Set<string>;
}

/** The differences that are failures: equal ones together. */
export function differenceLines(cells: readonly Cell[]): string[] {
  const groups = new Map<string, Group>();
  const lost = cells.filter(({ failure }) => failure !== undefined);
  for (const { subject, door, clientEra, verdicts, failure } of cells)
    for (const { step, wrong } of failure === undefined ? verdicts : [])
      for (const { path, direct, through } of wrong.slice(0, 1)) {
        const key = `${step} | ${path}`;
        const example = `${inlineCode(shown(direct))} became ${inlineCode(shown(through))}`;
        const group = groups.get(key) ?? { example, cells: new Set() };
        group.cells.add(`${subject.name}, ${door}, ${clientEra} client`);
        groups.set(key, group);
      }
  if (groups.size + lost.length === 0) return ["## Differences", "", "None.", ""];
  return [
    "## Differences",
    "",
    ...lost.map(
      ({ subject, door, clientEra, failure = "" }) =>
        `- ${subject.name}, ${door}, ${clientEra} client: no connection: ${inlineCode(failure)}`,
    ),
    ...[...groups].map(([key, { example, cells: where }]) => {
      const [step = "", path = ""] = key.split(" | ");
      const [first = ""] = where;
      const more = where.size > 1 ? ` and ${where.size - 1} more` : "";
      return `- ${inlineCode(step)}${path === "" ? "" : `, ${inlineCode(path)}`}: ${example} (${first}${more})`;
    }),
    "",
  ];
}

const MAX_SHOWN = 160;

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

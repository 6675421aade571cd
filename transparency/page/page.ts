import type { Cell } from "../cells.ts";
import { CLUSTER } from "../compare/justified.ts";
import { FEATURES } from "../plan/step.ts";
import { differenceLines, justifiedLines } from "./differences.ts";
import { inlineCode } from "./inline-code.ts";
import { matrixLines } from "./matrix.ts";
import { percent, stepsOf, type Tally, tallyOf } from "./tally.ts";

/** The result of a run. */
export interface TransparencyRun {
  /** When and where, e.g. `2026-11-16, Node v20.20.2, linux`. */
  readonly where: string;
  readonly cells: readonly Cell[];
}

/** The gateways whose differences must all be justified: as one process, and as a cluster. */
export const OURS: readonly string[] = ["indus", CLUSTER];

/** The page docs/transparency.md. */
export function transparencyPage({ where, cells }: TransparencyRun): string {
  const names = [...new Set(cells.map(({ gateway }) => gateway))];
  const ours = cells.filter(({ gateway }) => OURS.includes(gateway));
  return [
    "# Transparency",
    "",
    `Written by \`npm run transparency\` (${where}). A client that changes nothing uses each server twice without a gateway and then`,
    "through each gateway, with the same requests and the same answers to the server's questions, and compares what arrived: every",
    "member of every answer, note and question. Not compared: the prefix of names, the gateway's own tools and resources, what the",
    "modern era puts around every result (except cache hints, which have steps of their own), and what differs between two runs without a gateway. A server and a client of different eras are compared with a client of the",
    "server's era. Tasks have other messages in each era: each client uses those of its own, and compared are what both have in common, and whether it got what its era specifies. *Justified* differences are listed with their reason; *different* means all others. Indus has started each server once before, as it",
    "has on every start but the first: on the first one `initialize` is answered before the instructions of the servers are known.",
    "",
    ...shareTable(names, cells),
    ...matrixLines(ours),
    ...featureTable(names, cells),
    ...cellTable(ours),
    ...justifiedLines(ours),
    ...differenceLines(ours),
    ...peerLines(
      names.filter((name) => !OURS.includes(name)),
      cells,
    ),
  ].join("\n");
}

function shareTable(names: readonly string[], cells: readonly Cell[]): string[] {
  return [
    "## Share of identical answers",
    "",
    "*Cells* are combinations of server, transport, door and eras; in each of them every step of the server's plan is tried.",
    "",
    "| gateway | cells | without connection | steps | identical | justified | different | identical | identical or justified |",
    "|---|---|---|---|---|---|---|---|---|",
    ...names.map((name) => {
      const own = cells.filter(({ gateway }) => gateway === name);
      const lost = own.filter(({ failure }) => failure !== undefined).length;
      const { steps, identical, justified, different } = tallyOf(stepsOf(own));
      const counts = `${own.length} | ${lost} | ${steps} | ${identical} | ${justified} | ${different}`;
      return `| ${name} | ${counts} | ${percent(identical, steps)} | ${percent(identical + justified, steps)} |`;
    }),
    "",
  ];
}

function featureTable(names: readonly string[], cells: readonly Cell[]): string[] {
  return [
    "## By feature",
    "",
    "The share of steps that are identical or justified.",
    "",
    `| feature | ${names.join(" | ")} |`,
    `|---|${names.map(() => "---|").join("")}`,
    ...FEATURES.map((feature) => {
      const shares = names.map((name) => {
        const own = stepsOf(cells.filter(({ gateway }) => gateway === name));
        return shareOf(tallyOf(own.filter((verdict) => verdict.feature === feature)));
      });
      return `| ${feature} | ${shares.join(" | ")} |`;
    }),
    "",
  ];
}

function shareOf({ steps, identical, justified }: Tally): string {
  return percent(identical + justified, steps);
}

function cellTable(cells: readonly Cell[]): string[] {
  const doors = [...new Set(cells.map(({ door }) => door))];
  const rows = new Map<string, Map<string, string>>();
  for (const { subject, clientEra, door, verdicts, failure } of cells) {
    const { steps, identical, justified, different } = tallyOf(verdicts);
    const shown =
      failure === undefined ? `${identical} + ${justified} + ${different} of ${steps}` : "no connection";
    const key = `${subject.name} | ${clientEra}`;
    rows.set(key, (rows.get(key) ?? new Map<string, string>()).set(door, shown));
  }
  return [
    "## Indus, cell by cell",
    "",
    "Identical + justified + different.",
    "",
    `| server | client | ${doors.join(" | ")} |`,
    `|---|---|${doors.map(() => "---|").join("")}`,
    ...[...rows].map(
      ([key, shown]) => `| ${key} | ${doors.map((door) => shown.get(door) ?? "-").join(" | ")} |`,
    ),
    "",
  ];
}

/** Of the other gateways only what fails in a whole cell, equal reasons together; their differences are counted above. */
function peerLines(names: readonly string[], cells: readonly Cell[]): string[] {
  const servers = new Map<string, Set<string>>();
  for (const { gateway, subject, clientEra, failure } of cells) {
    if (failure === undefined || !names.includes(gateway)) continue;
    const key = `${gateway}, ${clientEra} client: ${inlineCode(failure)}`;
    servers.set(key, (servers.get(key) ?? new Set()).add(subject.name));
  }
  if (servers.size === 0) return [];
  const lines = [...servers].map(([key, found]) => `- ${key} (${[...found].join(", ")})`);
  return ["## Cells of the other gateways without a connection", "", ...lines, ""];
}

import { freshState } from "../configuration.ts";
import { runIndus } from "./command.ts";
import type { FleetUnderTest } from "./fleet-under-test.ts";
import { type Figure, figure, plainFigure, withUnit } from "./measured.ts";

const DEADLINE_MS = 300_000;
/** Two runs of the same program differ by this much on a machine that does other things too. */
const TOLERANCE = 1.1;

/** The first start of the whole fleet with one build. */
export interface FleetStart {
  /** The time of the whole command, until every server was ready or had failed. */
  readonly totalMs: number;
  /** How many servers were ready. */
  readonly ready: number;
}

/** With `base`, the file that starts another build, the figure is judged against that build. */
export async function totalTimeFigures(
  fleet: FleetUnderTest,
  base: string | undefined,
): Promise<{ readonly figures: readonly Figure[]; readonly totalMs: number }> {
  const before = base === undefined ? undefined : await firstStart(fleet, base);
  const now = await firstStart(fleet, fleet.indus);
  fleet.print(`  every server ready or failed: ${described(now)}`);
  if (before) fleet.print(`  the same with the other build: ${described(before)}`);
  return { figures: judgedStart(now, before, fleet.servers.length), totalMs: now.totalMs };
}

/** A build that gives up on slow servers is done sooner, so fewer ready servers than before are a miss, however fast. */
export function judgedStart(now: FleetStart, before: FleetStart | undefined, servers: number): Figure[] {
  const shown = ({ totalMs, ready }: FleetStart): string =>
    `${withUnit(totalMs / 1000, "s")}, ${ready} of ${servers} ready`;
  const whole = plainFigure("every server ready or failed, without a catalogue", shown(now));
  if (!before) return [whole];
  return [
    whole,
    plainFigure("the same with the build that it is compared with", shown(before)),
    figure({
      summary: "the same, against the other build's time with a tolerance of 10 %",
      value: now.ready < before.ready ? undefined : now.totalMs / 1000,
      limit: (before.totalMs * TOLERANCE) / 1000,
      unit: "s",
    }),
  ];
}

async function firstStart(fleet: FleetUnderTest, indus: string): Promise<FleetStart> {
  const options = { stateFolder: freshState(fleet.scratch, "total"), deadlineMs: DEADLINE_MS };
  const { stdout, code, ms } = await runIndus(indus, ["mcp", "list", "--json", "--mcp", fleet.file], options);
  if (stdout === "") throw new Error(`mcp list printed nothing (exit code ${code})`);
  const { servers } = JSON.parse(stdout) as { readonly servers: readonly { readonly phase: string }[] };
  return { totalMs: ms, ready: servers.filter(({ phase }) => phase === "ready").length };
}

function described({ totalMs, ready }: FleetStart): string {
  return `${(totalMs / 1000).toFixed(1)} s, ${ready} ready`;
}

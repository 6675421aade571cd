import { freshState } from "../configuration.ts";
import { runIndus } from "./command.ts";
import type { FleetUnderTest } from "./fleet-under-test.ts";
import { type Figure, figure, plainFigure, withUnit } from "./measured.ts";

const DEADLINE_MS = 300_000;
/** Two runs of the same program differ by this much on a machine that does other things too. */
const TOLERANCE = 1.1;

/** The first start of the whole fleet with one build. */
export interface FleetStart {
  /** Until every server was ready or had failed. */
  readonly totalMs: number;
  /** When each server was ready, the first one first. Those that failed are not in it. */
  readonly readyMs: readonly number[];
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

/**
 * A build that gives up on slow servers is done sooner with all of them. So two builds are compared by the time until
 * the same number of servers was ready. Fewer ready servers than before are a miss, however fast.
 */
export function judgedStart(now: FleetStart, before: FleetStart | undefined, servers: number): Figure[] {
  const shown = ({ totalMs, readyMs }: FleetStart): string =>
    `${withUnit(totalMs / 1000, "s")}, ${readyMs.length} of ${servers} ready`;
  const whole = plainFigure("every server ready or failed, without a catalogue", shown(now));
  if (!before) return [whole];
  const count = Math.min(now.readyMs.length, before.readyMs.length);
  const isFewer = now.readyMs.length < before.readyMs.length;
  const [ours, theirs] = [isFewer ? undefined : now.readyMs[count - 1], before.readyMs[count - 1]];
  return [
    whole,
    plainFigure("the same with the build that it is compared with", shown(before)),
    figure({
      summary: `${count} servers ready; the target is the other build's time with a tolerance of 10 %`,
      value: ours === undefined ? undefined : ours / 1000,
      limit: ((theirs ?? 0) * TOLERANCE) / 1000,
      unit: "s",
    }),
  ];
}

async function firstStart(fleet: FleetUnderTest, indus: string): Promise<FleetStart> {
  const options = { stateFolder: freshState(fleet.scratch, "total"), deadlineMs: DEADLINE_MS };
  const { stdout, code } = await runIndus(indus, ["mcp", "list", "--json", "--mcp", fleet.file], options);
  if (stdout === "") throw new Error(`mcp list printed nothing (exit code ${code})`);
  const { servers } = JSON.parse(stdout) as {
    readonly servers: readonly { readonly phase: string; readonly ms: number }[];
  };
  const readyMs = servers.filter(({ phase }) => phase === "ready").map(({ ms }) => ms);
  return { totalMs: Math.max(...servers.map(({ ms }) => ms)), readyMs: readyMs.sort((a, b) => a - b) };
}

function described({ totalMs, readyMs }: FleetStart): string {
  return `${(totalMs / 1000).toFixed(1)} s, ${readyMs.length} ready`;
}

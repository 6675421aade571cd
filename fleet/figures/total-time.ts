import { freshState } from "../configuration.ts";
import { runIndus } from "./command.ts";
import type { FleetUnderTest } from "./fleet-under-test.ts";
import { type Figure, figure, plainFigure, withUnit } from "./measured.ts";

const DEADLINE_MS = 300_000;
/** Two runs of the same program differ by this much on a machine that does other things too. */
const TOLERANCE = 1.1;

/** The time until every server is ready or has failed, in the first start. */
interface TotalTime {
  readonly totalMs: number | undefined;
  readonly ready: number;
}

async function totalTime(fleet: FleetUnderTest, indus: string): Promise<TotalTime> {
  const options = { stateFolder: freshState(fleet.scratch, "total"), deadlineMs: DEADLINE_MS };
  const { stdout } = await runIndus(indus, ["mcp", "list", "--json", "--mcp", fleet.file], options);
  try {
    const { servers } = JSON.parse(stdout) as {
      readonly servers: readonly { readonly phase: string; readonly ms: number }[];
    };
    return {
      totalMs: Math.max(...servers.map(({ ms }) => ms)),
      ready: servers.filter(({ phase }) => phase === "ready").length,
    };
  } catch {
    return { totalMs: undefined, ready: 0 };
  }
}

/** With `base`, the file that starts another build, the figure is judged against that build. */
export async function totalTimeFigures(
  fleet: FleetUnderTest,
  base: string | undefined,
): Promise<{ readonly figures: readonly Figure[]; readonly totalMs: number | undefined }> {
  const before = base === undefined ? undefined : await totalTime(fleet, base);
  const { totalMs, ready } = await totalTime(fleet, fleet.indus);
  const summary = `every server ready or failed, without a catalogue (${ready} of ${fleet.servers.length} ready)`;
  const seconds = totalMs === undefined ? undefined : totalMs / 1000;
  fleet.print(`  all servers ready or failed: ${seconds?.toFixed(1) ?? "?"} s, ${ready} ready`);
  if (before?.totalMs === undefined)
    return {
      figures: [plainFigure(summary, seconds === undefined ? undefined : withUnit(seconds, "s"))],
      totalMs,
    };
  const figures = [
    plainFigure(
      `the same with the build that it is compared with (${before.ready} ready)`,
      withUnit(before.totalMs / 1000, "s"),
    ),
    figure({ summary, value: seconds, limit: (before.totalMs * TOLERANCE) / 1000, unit: "s" }),
  ];
  return { figures, totalMs };
}

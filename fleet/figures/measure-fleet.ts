import type { ServerReport } from "../compare/report.ts";
import { writeConfiguration } from "../configuration.ts";
import type { KeptResults } from "../kept-results.ts";
import { endMarked } from "../processes.ts";
import type { Scratch } from "../scratch.ts";
import type { FleetServer } from "../server-list.ts";
import type { FleetUnderTest } from "./fleet-under-test.ts";
import { interruptFigures } from "./interrupt.ts";
import { type Figure, failedFigure } from "./measured.ts";
import { singleCallFigures } from "./single-call.ts";
import { startFigures } from "./start.ts";
import { totalTimeFigures } from "./total-time.ts";

export interface MeasureOptions {
  readonly scratch: Scratch;
  readonly kept: KeptResults;
  readonly mark: string;
  readonly indus: string;
  readonly probe: string;
  readonly build: string;
  readonly print: (line: string) => void;
  readonly base?: string;
  readonly seed: number;
}

const MOMENTS = 6;
/** If the total time is not measured in this run. */
const USUAL_TOTAL_MS = 30_000;

/** The figures of all servers in one configuration. Servers that do not start with the official client are left out. */
export async function measureFleet(
  all: readonly FleetServer[],
  reports: readonly ServerReport[],
  options: MeasureOptions,
): Promise<readonly Figure[]> {
  const { scratch, kept, indus, probe, build, base, seed, print } = options;
  const failed = new Set(reports.filter(({ failure }) => failure !== undefined).map(({ name }) => name));
  const servers = all.filter(({ name }) => !failed.has(name));
  const mark = `${options.mark}-figures.`;
  const file = writeConfiguration(servers, { scratch, mark, name: "fleet" });
  const toolCount = reports.reduce((sum, { mountedTools = 0 }) => sum + mountedTools, 0);
  const fleet: FleetUnderTest = { servers, scratch, mark, file, indus, probe, toolCount, print };
  const key = [servers, build, toolCount, base];
  print(`figures of ${servers.length} servers in one configuration (Ctrl-C with --seed ${seed})`);
  const measured = async (
    name: string,
    measure: () => Promise<readonly Figure[]>,
  ): Promise<readonly Figure[]> => {
    try {
      return await kept.of(`figures/${name}`, key, measure);
    } catch (thrown) {
      // The other figures are still worth measuring.
      return [failedFigure(name, thrown)];
    } finally {
      endMarked(mark);
    }
  };
  let withinMs = USUAL_TOTAL_MS;
  const total = await measured("total", async () => {
    const { figures, totalMs } = await totalTimeFigures(fleet, base);
    withinMs = totalMs;
    return figures;
  });
  return [
    ...(await measured("start", () => startFigures(fleet))),
    ...total,
    ...(await measured("call", () => singleCallFigures(fleet))),
    ...(await measured("interrupt", () =>
      interruptFigures(fleet, { moments: MOMENTS, withinMs, random: randomFrom(seed) }),
    )),
  ];
}

/** The same numbers from 0 to 1 for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

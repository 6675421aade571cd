import { setTimeout as sleep } from "node:timers/promises";
import { freshState } from "../configuration.ts";
import type { FleetUnderTest } from "./fleet-under-test.ts";
import { Gateway } from "./gateway.ts";
import { type Figure, figure, median, plainFigure, withUnit } from "./measured.ts";

const INITIALIZE_MS = 300;
const WARM_LIST_MS = 700;
const LAG_MS = 250;
const MEMORY_MB = 130;
const ROUNDS = 3;

/** One start of `indus serve` with the whole fleet. */
interface Start {
  readonly initializeMs: number;
  /** When the first `tools/list` was answered, and with how many tools. */
  readonly firstListMs: number;
  readonly firstCount: number;
  /** When every tool was listed. */
  readonly completeMs: number | undefined;
  readonly lagMs: number | undefined;
  readonly memoryMb: number | undefined;
}

/** The first start, without a catalogue, and later ones with it. The state folder `figures` keeps the catalogue. */
export async function startFigures(fleet: FleetUnderTest): Promise<readonly Figure[]> {
  const stateFolder = freshState(fleet.scratch, "figures");
  const cold = await start(fleet, stateFolder);
  fleet.print(`  first start: ${described(cold)}`);
  const coldInitializeMs = [cold.initializeMs];
  while (coldInitializeMs.length < ROUNDS) coldInitializeMs.push(await coldInitialize(fleet));
  fleet.print(`  initialize without a catalogue: ${coldInitializeMs.map(Math.round).join(", ")} ms`);
  const warm: Start[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const next = await start(fleet, stateFolder);
    fleet.print(`  start with a catalogue: ${described(next)}`);
    warm.push(next);
  }
  const all = [cold, ...warm];
  const isComplete = warm.every(({ firstCount }) => firstCount >= fleet.toolCount);
  return [
    figure({
      summary: `\`initialize\` answered after the start, without a catalogue (median of ${ROUNDS})`,
      value: median(coldInitializeMs),
      limit: INITIALIZE_MS,
      unit: "ms",
    }),
    figure({
      summary: `\`initialize\` answered after the start, with a catalogue (median of ${ROUNDS})`,
      value: median(warm.map(({ initializeMs }) => initializeMs)),
      limit: INITIALIZE_MS,
      unit: "ms",
    }),
    plainFigure(
      "first `tools/list` without a catalogue",
      `${withUnit(cold.firstListMs, "ms")}, ${cold.firstCount} of ${fleet.toolCount} tools`,
    ),
    figure({
      summary: `complete \`tools/list\` after the start, with a catalogue (median of ${ROUNDS})`,
      value: isComplete ? median(warm.map(({ firstListMs }) => firstListMs)) : undefined,
      limit: WARM_LIST_MS,
      unit: "ms",
    }),
    figure({
      summary: "longest delay of the event loop of `indus`, all starts",
      value: largest(all.map(({ lagMs }) => lagMs)),
      limit: LAG_MS,
      unit: "ms",
    }),
    figure({
      summary: "most memory of `indus` (PSS), all starts",
      value: largest(all.map(({ memoryMb }) => memoryMb)),
      limit: MEMORY_MB,
      unit: "MB",
    }),
    plainFigure(
      "all tools listed, without a catalogue",
      cold.completeMs === undefined ? undefined : withUnit(cold.completeMs / 1000, "s"),
    ),
  ];
}

/** For all tools to be there. */
const COMPLETE_MS = 240_000;
const POLL_MS = 5_000;
const AFTER_COMPLETE_MS = 1_000;
/** After the last tool is there, servers still finish their start. */
const SETTLE_MS = 20_000;

/** One more start without a catalogue, only until `initialize` is answered. */
async function coldInitialize(fleet: FleetUnderTest): Promise<number> {
  const { indus, probe, file, scratch } = fleet;
  const stateFolder = freshState(scratch, "initialize");
  const gateway = new Gateway({ indus, probe, file, stateFolder, reportFile: scratch.at("probe.json") });
  try {
    return await gateway.initialize("indus-fleet");
  } finally {
    await gateway.close();
  }
}

async function start(fleet: FleetUnderTest, stateFolder: string): Promise<Start> {
  const { indus, probe, file, scratch, toolCount } = fleet;
  const gateway = new Gateway({ indus, probe, file, stateFolder, reportFile: scratch.at("probe.json") });
  try {
    const initializeMs = await gateway.initialize("indus-fleet");
    const firstCount = await gateway.countTools();
    const firstListMs = performance.now() - gateway.startedMs;
    const isWarm = firstCount >= toolCount;
    const completeMs = isWarm ? firstListMs : await untilComplete(gateway, toolCount);
    // With a catalogue the list is complete long before the servers are.
    await sleep(isWarm ? SETTLE_MS : AFTER_COMPLETE_MS);
    await gateway.close();
    return {
      initializeMs,
      firstListMs,
      firstCount,
      completeMs,
      lagMs: gateway.report()?.maxLagMs,
      memoryMb: gateway.maxMemoryMb,
    };
  } finally {
    await gateway.close();
  }
}

async function untilComplete(gateway: Gateway, toolCount: number): Promise<number | undefined> {
  for (;;) {
    const isComplete = (await gateway.countTools()) >= toolCount;
    const passedMs = performance.now() - gateway.startedMs;
    if (isComplete) return passedMs;
    if (passedMs > COMPLETE_MS) return undefined;
    // As a client does it: each listing of so many tools costs time and memory.
    await gateway.toolsChanged(POLL_MS);
  }
}

function largest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? Math.max(...known) : undefined;
}

function described({ initializeMs, firstListMs, firstCount, completeMs, lagMs, memoryMb }: Start): string {
  const shown = (value: number | undefined): string =>
    value === undefined ? "?" : String(Math.round(value));
  return (
    `initialize ${shown(initializeMs)} ms, first list ${shown(firstListMs)} ms with ${firstCount} tools, ` +
    `complete ${shown(completeMs)} ms, lag ${shown(lagMs)} ms, memory ${shown(memoryMb)} MB`
  );
}

import { setTimeout as sleep } from "node:timers/promises";
import { freshState } from "../configuration.ts";
import { endMarked } from "../processes.ts";
import type { Scratch } from "../scratch.ts";
import type { FleetUnderTest } from "./fleet-under-test.ts";
import { Gateway, wallMs } from "./gateway.ts";
import { type Figure, figure } from "./measured.ts";

export interface InterruptOptions {
  readonly moments: number;
  /** The latest moment: how long a start of the whole fleet takes. */
  readonly withinMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** What one Ctrl-C led to. */
interface Interrupt {
  readonly atMs: number;
  readonly endMs: number;
  /** Servers that were started after it. Undefined without a report of the probe. */
  readonly startedAfter: number | undefined;
  readonly orphans: number;
}

const END_SECONDS = 3;
/** The earliest moment: node itself needs this long to start. */
const EARLIEST_MS = 100;
/** A start that is under way when the signal arrives cannot be taken back. */
const SEEN_MS = 100;
/** A process whose parent has ended by force needs a moment to see it. */
const ORPHAN_GRACE_MS = 500;

/** Ctrl-C at random moments of a start. */
export async function interruptFigures(
  fleet: FleetUnderTest,
  { moments, withinMs, random }: InterruptOptions,
): Promise<readonly Figure[]> {
  const all: Interrupt[] = [];
  for (let moment = 0; moment < moments; moment++) {
    const span = Math.max(withinMs - EARLIEST_MS, 0);
    // One moment in each part of the start, so that few of them cover the whole.
    const atMs = EARLIEST_MS + (span * (moment + random())) / moments;
    const next = await interruptAt(fleet, atMs);
    all.push(next);
    fleet.print(
      `  Ctrl-C after ${Math.round(atMs)} ms: ended in ${Math.round(next.endMs)} ms, ` +
        `${next.startedAfter ?? "?"} started after it, ${next.orphans} left`,
    );
  }
  const started = all.flatMap(({ startedAfter }) => startedAfter ?? []);
  return [
    figure({
      summary: `Ctrl-C at ${moments} random moments of a start: longest time to the end`,
      value: Math.max(...all.map(({ endMs }) => endMs)) / 1000,
      limit: END_SECONDS,
      unit: "s",
    }),
    figure({
      summary: `servers started later than ${SEEN_MS} ms after Ctrl-C`,
      value: started.length === all.length ? sum(started) : undefined,
      limit: 0,
      unit: "",
    }),
    figure({
      summary: "processes left after Ctrl-C",
      value: sum(all.map(({ orphans }) => orphans)),
      limit: 0,
      unit: "",
    }),
  ];
}

async function interruptAt(fleet: FleetUnderTest, atMs: number): Promise<Interrupt> {
  const { indus, probe, file, scratch, mark } = fleet;
  const gateway = new Gateway({
    indus,
    probe,
    file,
    stateFolder: freshState(scratch, "interrupted"),
    reportFile: scratch.at("probe.json"),
  });
  // A client that connects, as in real use. Its end comes before the answer if the moment is early.
  void gateway.initialize("indus-fleet").catch(() => {});
  await sleep(Math.max(0, atMs - (performance.now() - gateway.startedMs)));
  if (gateway.hasEnded) throw new Error(`indus ended by itself within ${Math.round(atMs)} ms`);
  const interruptedMs = wallMs();
  gateway.interrupt();
  const endMs = await gateway.ended();
  await sleep(ORPHAN_GRACE_MS);
  return {
    atMs,
    endMs,
    startedAfter: startedAfter(gateway, interruptedMs, scratch),
    orphans: endMarked(mark).length,
  };
}

function startedAfter(gateway: Gateway, interruptedMs: number, scratch: Scratch): number | undefined {
  // Before `indus` handles the signal, the signal itself ends it, and nothing can start after that.
  if (gateway.endSignal === "SIGINT") return 0;
  const isServer = (program: string): boolean => program.startsWith(scratch.root);
  const starts = gateway.report()?.starts;
  return starts?.filter(({ atMs, program }) => atMs > interruptedMs + SEEN_MS && isServer(program)).length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

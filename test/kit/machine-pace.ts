import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { median } from "./median.ts";
import { isFullSize } from "./size.ts";

/** An empty program starts and exits in less than this on a machine that does nothing else. */
const CALM_START_MS = 80;

export interface PaceLimits {
  /** What is measured; shown when a limit is exceeded. */
  readonly what?: string;
  /** No single time may reach this: it shows that something hangs. */
  readonly hangMs: number;
  /** The median may not reach this on a calm machine. Checked in the long run only. */
  readonly medianMs: number;
}

export interface MachinePace {
  /** Fails if the measured times exceed the limits, scaled by how slow this machine is now or was at the start. */
  check(times: readonly number[], limits: PaceLimits): Promise<void>;
}

/**
 * Starts a measurement on a machine that may also do other work. Limits hold for a calm machine; here they are
 * multiplied by how much longer than there an empty program takes to start and exit, before or after the measurement.
 */
export async function machinePace(): Promise<MachinePace> {
  const before = await slowdown();
  return {
    check: async (times, { what, hangMs, medianMs }) => {
      const factor = Math.max(before, await slowdown());
      expect(times.length, what).toBeGreaterThan(0);
      expect(Math.max(...times), what).toBeLessThan(hangMs * factor);
      if (isFullSize) expect(median(times), what).toBeLessThan(medianMs * factor);
    },
  };
}

/** Runs a step and returns its time: processor time, unless the clock shows less. Other programs do not count. */
export async function spentMs(step: () => unknown): Promise<number> {
  const startMs = performance.now();
  const start = process.cpuUsage();
  await step();
  const { user, system } = process.cpuUsage(start);
  return Math.min(performance.now() - startMs, (user + system) / 1000);
}

/** At least 1. The limits of a quick run are wide enough without it. */
async function slowdown(): Promise<number> {
  if (!isFullSize) return 1;
  const startMs = performance.now();
  await promisify(execFile)(process.execPath, ["-e", ""]);
  return Math.max(1, (performance.now() - startMs) / CALM_START_MS);
}

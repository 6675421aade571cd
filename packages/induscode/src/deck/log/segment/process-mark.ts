import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { contentHash, errorCode, readProcRow } from "indusagi/core";

/** A process as no other can ever be it: numbers are used again, a number with its start is not. */
export interface ProcessMark {
  /** The machine, or the container, in which the number means something. */
  readonly place: string;
  readonly pid: number;
  /** When it started. Only to be compared. */
  readonly start: string;
}

/** The mark of this process. */
export function ownMark(): ProcessMark {
  return { place: ownPlace(), pid: process.pid, start: startOf(process.pid) ?? NO_START };
}

/**
 * Whether a process still runs. Where there is doubt it does: one of another place cannot be seen from here, and without
 * its start a number in use cannot be told from the number used again.
 */
export function isRunning({ place, pid, start }: ProcessMark): boolean {
  if (place !== ownPlace()) return true;
  const now = startOf(pid);
  return now !== undefined && (now === start || now === NO_START || start === NO_START);
}

/** Stands for a start that could not be read. */
const NO_START = "0";

const START_OF: { readonly [platform: string]: (pid: number) => string | undefined } = {
  linux: startByProc,
  android: startByProc,
  darwin: startByPs,
};

function startOf(pid: number): string | undefined {
  return (START_OF[process.platform] ?? aliveOnly)(pid);
}

/** Linux. The start is counted from the boot, so the boot's own id belongs to it. */
function startByProc(pid: number): string | undefined {
  try {
    const row = readProcRow(pid);
    if (row) return row.state === "dead" ? undefined : `${bootId()}x${row.startTime}`;
  } catch {
    // No descriptor left to look with.
  }
  return aliveOnly(pid); // Ended, or hidden from us.
}

/** macOS; untested there. */
function startByPs(pid: number): string | undefined {
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    timeout: 2_000,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" },
  });
  const start = Date.parse(stdout ?? "");
  return Number.isNaN(start) ? aliveOnly(pid) : String(start);
}

/** Windows and others, untested there; and wherever the better ways fail. */
function aliveOnly(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    return NO_START;
  } catch (thrown) {
    return errorCode(thrown) === "ESRCH" ? undefined : NO_START;
  }
}

let place: string | undefined;

function ownPlace(): string {
  place ??= contentHash([hostname(), orNothing(() => readlinkSync("/proc/self/ns/pid"))]).slice(0, 8);
  return place;
}

let boot: string | undefined;

function bootId(): string {
  boot ??= contentHash(orNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"))).slice(
    0,
    8,
  );
  return boot;
}

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

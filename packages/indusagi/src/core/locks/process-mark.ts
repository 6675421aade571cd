import type * as nodeFs from "node:fs";
import { contentHash } from "../content-hash.ts";
import { errorCode } from "../core-error.ts";
import { readProcRow } from "../process-tree/index.ts";

/** Loaded on first use, as in `core/files`. */
const fs = (): typeof nodeFs => process.getBuiltinModule("node:fs");

/** Identifies a process for good: pids are reused, a pid with its start time is not. */
export interface ProcessMark {
  /** The machine or container in which the id is valid. */
  readonly place: string;
  readonly pid: number;
  /** The start time. Only for comparison. */
  readonly start: string;
}

let own: ProcessMark | undefined;

/** The mark of this process. */
export function ownMark(): ProcessMark {
  own ??= { place: ownPlace(), pid: process.pid, start: startOf(process.pid) ?? NO_START };
  return own;
}

/**
 * Whether a process still runs. When in doubt, yes: a process on another machine cannot be seen from here, and without a
 * start time a reused pid cannot be recognised.
 */
export function isProcessRunning({ place, pid, start }: ProcessMark): boolean {
  if (place !== ownPlace()) return true;
  const now = startOf(pid);
  return now !== undefined && (now === start || now === NO_START || start === NO_START);
}

/** A start time that could not be read. */
const NO_START = "0";

const START_OF: { readonly [platform: string]: (pid: number) => string | undefined } = {
  linux: startByProc,
  android: startByProc,
  darwin: startByPs,
};

function startOf(pid: number): string | undefined {
  return (START_OF[process.platform] ?? aliveOnly)(pid);
}

/** Linux counts start times from boot, so the boot id is part of the mark. */
function startByProc(pid: number): string | undefined {
  try {
    const row = readProcRow(pid);
    if (row) return row.state === "dead" ? undefined : `${bootId()}x${row.startTime}`;
  } catch {
    // Out of file descriptors.
  }
  return aliveOnly(pid); // The process ended, or is hidden from us.
}

/** macOS. Untested. */
function startByPs(pid: number): string | undefined {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    timeout: 2_000,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" },
  });
  const start = Date.parse(stdout ?? "");
  return Number.isNaN(start) ? aliveOnly(pid) : String(start);
}

/** For Windows (run under Wine only) and others (untested), and as a fallback. */
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
  const { hostname } = process.getBuiltinModule("node:os");
  place ??= contentHash([hostname(), orNothing(() => fs().readlinkSync("/proc/self/ns/pid"))]).slice(0, 8);
  return place;
}

let boot: string | undefined;

function bootId(): string {
  boot ??= contentHash(orNothing(() => fs().readFileSync("/proc/sys/kernel/random/boot_id", "latin1"))).slice(
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

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcRow } from "indusagi/core";
import { MARK_VARIABLE } from "./scratch.ts";

/** Whether processes can be found by their environment and measured here. Elsewhere memory and leftovers are unknown. */
export const CAN_INSPECT: boolean = process.platform === "linux";

/** The living processes that were started with a mark that begins so, however they are related to each other. */
export function markedProcesses(mark: string): number[] {
  if (!CAN_INSPECT) return [];
  const wanted = `\0${MARK_VARIABLE}=${mark}`;
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && environmentOf(pid).includes(wanted) && readProcRow(pid)?.state !== "dead");
}

/** Ends what is left of a run and returns the commands of those processes. */
export function endMarked(mark: string): readonly string[] {
  return markedProcesses(mark).map((pid) => {
    const command = commandOf(pid);
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    return command;
  });
}

/** Waits until no process with this mark is left, or the time is over. */
export async function markedGone(mark: string, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while (markedProcesses(mark).length > 0 && performance.now() < untilMs) await sleep(POLL_MS);
}

const POLL_MS = 100;

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return String(pid);
  }
}

/**
 * The memory of processes in MB, as PSS: memory that several processes share is divided among them. Undefined where the
 * system does not tell.
 */
export function memoryMb(pids: readonly number[]): number | undefined {
  const sizes = pids.flatMap((pid) => pssKb(pid) ?? []);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

function pssKb(pid: number): number | undefined {
  try {
    const [, size] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
    return size === undefined ? undefined : Number(size);
  } catch {
    return undefined;
  }
}

function environmentOf(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
  } catch {
    // It has ended, or belongs to another user.
    return "";
  }
}

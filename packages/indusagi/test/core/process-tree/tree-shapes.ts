import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseStat } from "../../../src/core/process-tree/members/proc-process-table.ts";

/** A number of seconds that no other process on this machine sleeps: a test finds its own processes by it. */
export function newMark(): string {
  return `9${randomInt(1e8)}.${randomInt(1e8)}`;
}

/** Command lines whose processes try to leave the tree. Each prints `ready` when they are running and then stays. */
export const SHAPES: { readonly [shape: string]: (mark: string) => string } = {
  "a plain child": (mark) => `echo ready; exec sleep ${mark}`,
  "a grandchild": (mark) => `sleep ${mark} & echo ready; wait`,
  "a setsid child": (mark) => `setsid sleep ${mark} & echo ready; wait`,
  "a double fork": (mark) => `(setsid sleep ${mark} &); echo ready; exec sleep ${mark}`,
  "a pipe holder": (mark) => `(sleep ${mark} &); echo ready; exec sleep ${mark} >/dev/null 2>&1`,
  "a TERM-ignorer": (mark) => `trap '' TERM; sleep ${mark} & echo ready; wait; sleep ${mark}; sleep ${mark}`,
  "a stopped one": (mark) => `sleep ${mark} & kill -STOP $!; echo ready; kill -STOP $$`,
  "a group leaver": (mark) => `set -m; sleep ${mark} & sleep ${mark} & echo ready; wait`,
};

/** Leaves its parent, group and session at once, and clears its environment when the file `go` appears. */
export function lateEnvironmentClearer(mark: string, go: string): string {
  const late = `while [ ! -e ${go} ]; do sleep 0.02; done; exec env -i sleep ${mark}0`;
  return `(setsid bash -c 'echo ready; ${late}' &); exec sleep ${mark}`;
}

/**
 * Waits until the processes that are alive now in a tree started at `sinceMs` have been scanned: scans are timers of
 * this event loop, due before ours. A process that was never scanned cannot be remembered.
 */
export async function hasBeenSeen(sinceMs: number): Promise<void> {
  await sleep(2 * (performance.now() - sinceMs) + 100);
}

/** The processes of `lateEnvironmentClearer` that have cleared their environment. */
export function environmentClearers(mark: string): number[] {
  return aliveWith(mark).filter((pid) => contentOf(pid, "cmdline") === `sleep\0${mark}0\0`);
}

/** The pids of living processes whose command line contains this mark. */
export function aliveWith(mark: string): number[] {
  return processes().filter((pid) => isAlive(pid) && contentOf(pid, "cmdline").includes(mark));
}

/** Zombies do not count: where no parent reaps them they stay in the table. */
export function isAlive(pid: number): boolean {
  const row = parseStat(contentOf(pid, "stat"));
  return row !== undefined && row.state !== "dead";
}

export function childrenOf(pid: number): number[] {
  return processes().filter((child) => parseStat(contentOf(child, "stat"))?.parent === pid);
}

export function contentOf(pid: number, file: "cmdline" | "stat" | "status" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** Polls until the answer is true; false when the time is up. */
export async function becomesTrue(ask: () => boolean, withinMs = 5_000): Promise<boolean> {
  const deadlineMs = performance.now() + withinMs;
  while (!ask()) {
    if (performance.now() > deadlineMs) return false;
    await sleep(5);
  }
  return true;
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

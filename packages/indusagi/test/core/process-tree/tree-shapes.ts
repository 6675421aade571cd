import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseStat } from "../../../src/core/process-tree/members/proc-process-table.ts";

/** A number of seconds that no other process on this machine sleeps: how a test knows its own processes again. */
export function newMark(): string {
  return `9${randomInt(1e8)}.${randomInt(1e8)}`;
}

/** Command lines whose processes try to get away. Each says `ready` once they are there and then stays for ever. */
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

/** Leaves its parent, its group and its session at once, and its environment as soon as the file `go` is there. */
export function lateEnvironmentClearer(mark: string, go: string): string {
  const late = `while [ ! -e ${go} ]; do sleep 0.02; done; exec env -i sleep ${mark}0`;
  return `(setsid bash -c 'echo ready; ${late}' &); exec sleep ${mark}`;
}

/**
 * Waits until whatever is alive now in a tree started at `sinceMs` has been looked at: looks are timers of this event loop, due
 * before ours. Nobody can remember what he never saw, and on a busy machine that takes its time.
 */
export async function hasBeenSeen(sinceMs: number): Promise<void> {
  await sleep(2 * (performance.now() - sinceMs) + 100);
}

/** Those of `lateEnvironmentClearer` that have cleared it. */
export function environmentClearers(mark: string): number[] {
  return aliveWith(mark).filter((pid) => contentOf(pid, "cmdline") === `sleep\0${mark}0\0`);
}

/** The numbers of living processes whose command line has this mark. */
export function aliveWith(mark: string): number[] {
  return processes().filter((pid) => isAlive(pid) && contentOf(pid, "cmdline").includes(mark));
}

/** Zombies are dead: where nobody reaps them they stay in the table for ever. */
export function isAlive(pid: number): boolean {
  const row = parseStat(contentOf(pid, "stat"));
  return row !== undefined && row.state !== "dead";
}

export function childrenOf(pid: number): number[] {
  return processes().filter((child) => parseStat(contentOf(child, "stat"))?.parent === pid);
}

export function contentOf(pid: number, file: "cmdline" | "stat" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** Asks until the answer is yes; false when time is up. */
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

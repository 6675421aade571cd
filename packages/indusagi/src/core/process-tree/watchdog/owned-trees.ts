import { mintUlid } from "../../ulid.ts";
import type { TreeControl } from "../end/tree-control.ts";
import type { TreeRecord } from "../members/process-identity.ts";
import { createWatchdog } from "./watchdog.ts";

/**
 * The trees that this process has started and that still have processes. The watchdog knows them, their members are
 * scanned at intervals and remembered, and they are ended when this process exits.
 */
const owned = new Map<TreeRecord, TreeControl>();

/** The orders for what to run after this process has ended, by key. */
const wills = new Map<string, readonly string[]>();

const watchdog = createWatchdog(() => [
  ...[...owned.keys()].flatMap(ordersFor),
  ...[...wills.values()].flat(),
]);

/** Leaves a will with the watchdog. Returns a function that withdraws it. */
export function keepWill(source: string): () => void {
  const key = mintUlid();
  const orders = [`own ${key}`, `will ${key} ${Buffer.from(source).toString("base64url")}`];
  wills.set(key, orders);
  watchdog.send(...orders);
  return () => {
    // Sent at once, not with the next report: this process may end before that.
    if (wills.delete(key) && watchdog.running) watchdog.send(`done ${key}`);
  };
}

/** Announces a tree to the watchdog before its process starts, so it is never unguarded. */
export function announceTree(cookie: string): void {
  watchdog.send(`own ${cookie}`);
}

/** Takes back an announcement: the process could not be started. */
export function retractTree(cookie: string): void {
  if (watchdog.running) watchdog.send(`done ${cookie}`);
}

/** From now on this tree is ended when this process ends. */
export function ownTree(tree: TreeRecord, control: TreeControl): void {
  if (owned.size === 0) process.on("exit", killAllNow);
  owned.set(tree, control);
  watchdog.send(...ordersFor(tree));
  scheduleScan();
}

/** Forgets a tree that has no processes left. */
export function releaseTree(tree: TreeRecord): void {
  if (!owned.delete(tree)) return;
  reportDone(tree.cookie);
  if (owned.size === 0) process.off("exit", killAllNow);
}

let done: string[] = [];

/**
 * Trees that end together are reported in one write. A lost report would make the watchdog start its program in vain, so
 * this process waits for the write before it exits.
 */
function reportDone(cookie: string): void {
  if (done.push(`done ${cookie}`) > 1) return;
  setImmediate(() => {
    const orders = done;
    done = [];
    if (watchdog.running) watchdog.send(...orders);
  });
}

function ordersFor(tree: TreeRecord): string[] {
  const { cookie, root } = tree;
  return [`own ${cookie}`, `root ${cookie} ${root.pid} ${root.startTime}`, seenOrder(tree)];
}

/** The system limits an argument to 128 KiB. Members that are left out are found by group or cookie. */
const MAX_SEEN = 4_000;

export function seenOrder(tree: Pick<TreeRecord, "cookie" | "remembered">): string {
  const members = [...tree.remembered].slice(0, MAX_SEEN);
  return ["seen", tree.cookie, ...members.map(([pid, startTime]) => `${pid}:${startTime}`)].join(" ");
}

/** There is no time to wait during exit: the watchdog ends what this misses. */
function killAllNow(): void {
  for (const control of new Set(owned.values())) control.killNow?.([...owned.keys()]);
  for (const [tree, control] of owned) if (!control.killNow) control.signal(tree, "SIGKILL");
}

const FIRST_SCAN_MS = 30;
const MAX_PAUSE_MS = 2_000;
let nextScan: NodeJS.Timeout | undefined;
let nextScanAtMs = Number.POSITIVE_INFINITY;

/** A young tree is scanned soon, an old one every two seconds: most processes start soon after their tree. */
function scheduleScan(): void {
  if (owned.size === 0) return;
  const nowMs = performance.now();
  const youngestMs = Math.max(...[...owned.keys()].map((tree) => tree.sinceMs));
  const pauseMs = Math.min(Math.max(nowMs - youngestMs, FIRST_SCAN_MS), MAX_PAUSE_MS);
  // Only ever sooner: trees started one after the other must not delay the scan of the first.
  if (nowMs + pauseMs >= nextScanAtMs) return;
  clearTimeout(nextScan);
  nextScanAtMs = nowMs + pauseMs;
  nextScan = setTimeout(scanAll, pauseMs);
  nextScan.unref();
}

function scanAll(): void {
  nextScanAtMs = Number.POSITIVE_INFINITY;
  const before = new Map([...owned.keys()].map((tree) => [tree, seenOrder(tree)]));
  for (const control of new Set(owned.values())) control.scanAll([...owned.keys()]);
  const changed = [...before]
    .map(([tree, seen]) => [seenOrder(tree), seen])
    .filter(([now, seen]) => now !== seen);
  if (changed.length > 0) watchdog.send(...changed.map(([now = ""]) => now));
  scheduleScan();
}

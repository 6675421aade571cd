import type { TreeControl } from "../end/tree-control.ts";
import type { TreeRecord } from "../members/tree-record.ts";
import { createWatchdog } from "./watchdog.ts";

/**
 * Every tree this process has started and not yet seen the last of. While there is one: the watchdog knows it, members
 * are looked at now and then so that they are remembered, and our own exit ends them.
 */
const owned = new Map<TreeRecord, TreeControl>();

const watchdog = createWatchdog(() => [...owned.keys()].flatMap(ordersFor));

/** Says that a tree is about to be born. Before its birth, so that no moment is unguarded: the order waits in the pipe. */
export function announceTree(cookie: string): void {
  watchdog.tell(`own ${cookie}`);
}

/** Takes back an announcement: the tree was never born. */
export function retractTree(cookie: string): void {
  if (watchdog.running) watchdog.tell(`done ${cookie}`);
}

/** From now on this tree is ended with us. */
export function ownTree(tree: TreeRecord, control: TreeControl): void {
  if (owned.size === 0) process.on("exit", killAllNow);
  owned.set(tree, control);
  for (const order of ordersFor(tree)) watchdog.tell(order);
  scheduleLook();
}

/** Nothing of the tree is left. */
export function releaseTree(tree: TreeRecord): void {
  if (!owned.delete(tree)) return;
  if (watchdog.running) watchdog.tell(`done ${tree.cookie}`);
  if (owned.size === 0) process.off("exit", killAllNow);
}

function ordersFor(tree: TreeRecord): string[] {
  const { cookie, root } = tree;
  return [`own ${cookie}`, `root ${cookie} ${root.pid} ${root.startTime}`, seenOrder(tree)];
}

function seenOrder(tree: TreeRecord): string {
  return ["seen", tree.cookie, ...[...tree.remembered].map(([pid, startTime]) => `${pid}:${startTime}`)].join(
    " ",
  );
}

/** An exit leaves no time to wait: what this misses the watchdog finds. */
function killAllNow(): void {
  for (const [tree, control] of owned) control.signal(tree, "SIGKILL");
}

const FIRST_LOOK_MS = 30;
const MAX_PAUSE_MS = 2_000;
let nextLook: NodeJS.Timeout | undefined;
let nextLookAtMs = Number.POSITIVE_INFINITY;

/** A young tree is looked at soon, an old one every two seconds: most processes are born when their tree is. */
function scheduleLook(): void {
  if (owned.size === 0) return;
  const nowMs = performance.now();
  const youngestMs = Math.max(...[...owned.keys()].map((tree) => tree.sinceMs));
  const pauseMs = Math.min(Math.max(nowMs - youngestMs, FIRST_LOOK_MS), MAX_PAUSE_MS);
  // Only ever sooner: trees born one after the other must not put off the look at the first.
  if (nowMs + pauseMs >= nextLookAtMs) return;
  clearTimeout(nextLook);
  nextLookAtMs = nowMs + pauseMs;
  nextLook = setTimeout(look, pauseMs);
  nextLook.unref();
}

function look(): void {
  nextLookAtMs = Number.POSITIVE_INFINITY;
  const before = new Map([...owned.keys()].map((tree) => [tree, seenOrder(tree)]));
  for (const control of new Set(owned.values())) control.lookAtAll(owned.keys());
  for (const [tree, seen] of before) {
    const now = seenOrder(tree);
    if (now !== seen) watchdog.tell(now);
  }
  scheduleLook();
}

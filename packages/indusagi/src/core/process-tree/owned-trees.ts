import type { TreeControl } from "./tree-control.ts";
import type { TreeRecord } from "./tree-record.ts";
import { createWatchdog } from "./watchdog.ts";

/**
 * Every tree this process has started and not yet seen the last of. While there is one: the watchdog knows it, members
 * are looked at now and then so that they are remembered, and our own exit ends them.
 */
const owned = new Map<TreeRecord, TreeControl>();

const watchdog = createWatchdog(() => [...owned.keys()].flatMap(ordersFor));

/** Tells a watchdog that is already there that a tree is about to be born, so that no moment is unguarded. */
export function announceTree(cookie: string): void {
  if (watchdog.running) watchdog.tell(`own ${cookie}`);
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
const LONGEST_PAUSE_MS = 2_000;
let nextLook: NodeJS.Timeout | undefined;

/** A young tree is looked at soon, an old one every two seconds: most processes are born when their tree is. */
function scheduleLook(): void {
  clearTimeout(nextLook);
  if (owned.size === 0) return;
  const youngestMs = Math.max(...[...owned.keys()].map((tree) => tree.sinceMs));
  const ageMs = performance.now() - youngestMs;
  nextLook = setTimeout(look, Math.min(Math.max(ageMs, FIRST_LOOK_MS), LONGEST_PAUSE_MS));
  nextLook.unref();
}

function look(): void {
  const before = new Map([...owned.keys()].map((tree) => [tree, seenOrder(tree)]));
  for (const control of new Set(owned.values())) control.look(owned.keys());
  for (const [tree, seen] of before) {
    const now = seenOrder(tree);
    if (now !== seen) watchdog.tell(now);
  }
  scheduleLook();
}

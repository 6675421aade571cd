import { systemClock, tryFileLock, withFileLock } from "indusagi/core";
import { findGateways } from "../../background/internal.ts";
import { clearPlace, dial, ENDED_BY_USER, type GatewayPlace } from "../../background/link/index.ts";
import type { Run } from "../../boot/internal.ts";
import type { CommandSpec } from "../../launch/internal.ts";

export const DOWN: CommandSpec = {
  name: "down",
  group: "everyday",
  summary: "End your background gateway. Its clients continue, each with servers of its own.",
  flags: [],
  examples: ["indus down"],
  read: () => ({}),
};

const END_MS = 15_000;
const LOOK_MS = 50;
/** For one that does not answer: it may be stopped, or busy for ever. */
const TERMINATE_MS = 10_000;
const KILL_MS = 5_000;

/** `indus down`: ends the user's gateways, and removes what one left that was killed. */
export async function down({ terminal, report, env }: Run): Promise<number> {
  const found = await findGateways(env);
  if (found.length === 0) {
    terminal.out("no background gateway is running\n");
    return 0;
  }
  let code = 0;
  for (const { place, report: running, problem } of found) {
    const pid = running?.pid ?? (await silentGateway(place));
    const isGone =
      pid === undefined || (running ? await endsWhenAsked(place, pid) : await endsWhenKilled(place, pid));
    if (isGone && !running) clearPlace(place);
    if (pid === undefined) report(`removed what a gateway left that no longer runs: ${problem ?? ""}`);
    else if (isGone) terminal.out(`ended the background gateway (process ${pid})\n`);
    else report(`process ${pid} is still ending; indus status shows when it has`);
    if (!isGone) code = 1;
  }
  return code;
}

async function endsWhenAsked(place: GatewayPlace, pid: number): Promise<boolean> {
  await dial(place, { kind: "down", why: ENDED_BY_USER });
  return isGoneWithin(pid, END_MS);
}

/** A gateway that does not answer is killed, if nothing else ends it. Its watchdog then ends its servers. */
async function endsWhenKilled(place: GatewayPlace, pid: number): Promise<boolean> {
  // One that was only stopped answers now, and tells its clients not to wait for the next one. Windows has no such signal.
  if (process.platform !== "win32") {
    process.kill(pid, "SIGCONT");
    const dialled = await dial(place, { kind: "down", why: ENDED_BY_USER });
    if ("socket" in dialled && (await isGoneWithin(pid, END_MS))) return true;
  }
  process.kill(pid, "SIGTERM");
  if (await isGoneWithin(pid, TERMINATE_MS)) return true;
  if ((await silentGateway(place)) === pid) process.kill(pid, "SIGKILL");
  return isGoneWithin(pid, KILL_MS);
}

/** The process that holds the lock of a gateway: the lock knows its start time too, so it is no other program with its number. */
async function silentGateway({ folder, name }: GatewayPlace): Promise<number | undefined> {
  return withFileLock({ folder, name: `${name}.start` }, { waitMs: END_MS }, async () => {
    const lock = await tryFileLock({ folder, name: `${name}.runs` });
    if (!("release" in lock)) return lock.reason === "held" ? lock.pid : undefined;
    await lock.release();
    return undefined;
  });
}

async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
  const untilMs = performance.now() + ms;
  while (isAlive(pid) && performance.now() < untilMs) await systemClock.sleep(LOOK_MS);
  return !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

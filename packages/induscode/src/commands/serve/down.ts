import { systemClock } from "indusagi/core";
import { findGateways } from "../../background/internal.ts";
import { clearPlace, dial, ENDED_BY_USER } from "../../background/link/index.ts";
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

/** `indus down`: ends the user's gateways, and removes what one left that was killed. */
export async function down({ terminal, report, env }: Run): Promise<number> {
  const found = await findGateways(env);
  if (found.length === 0) {
    terminal.out("no background gateway is running\n");
    return 0;
  }
  let code = 0;
  for (const { place, report: running, problem } of found) {
    if (!running) {
      clearPlace(place);
      report(`removed what a gateway left that no longer runs: ${problem ?? ""}`);
      continue;
    }
    await dial(place, { kind: "down", why: ENDED_BY_USER });
    const untilMs = performance.now() + END_MS;
    while (isAlive(running.pid) && performance.now() < untilMs) await systemClock.sleep(LOOK_MS);
    if (isAlive(running.pid)) {
      report(`process ${running.pid} is still ending; indus status shows when it has`);
      code = 1;
    } else terminal.out(`ended the background gateway (process ${running.pid})\n`);
  }
  return code;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

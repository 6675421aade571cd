import { spawnSync } from "node:child_process";
import type { ProcessRow, ProcessTable } from "./process-identity.ts";

/**
 * macOS and other systems without /proc: reads the output of `ps`, which has no environment and start times in whole
 * seconds. Tested on Linux; untested on macOS.
 */
export const psProcessTable: ProcessTable = {
  list: () => runPs(["-A"]),
  startTimeOf: (pid) => runPs(["-p", String(pid)])[0]?.startTime,
  cookiesOf: () => "",
};

/** Parses one line of `ps -o pid=,ppid=,pgid=,stat=,lstart=`. */
export function parsePsLine(text: string): ProcessRow | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(text);
  if (!match) return undefined;
  const [, pid, parent, group, state = "", started = ""] = match;
  const startTime = Date.parse(started);
  if (Number.isNaN(startTime)) return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: 0,
    startTime,
    state: STATES[state.charAt(0)] ?? "alive",
  };
}

const STATES: { readonly [letter: string]: ProcessRow["state"] } = { Z: "dead", T: "stopped" };

const PS_DEADLINE_MS = 2_000;

function runPs(selection: readonly string[]): ProcessRow[] {
  const { stdout, error } = spawnSync("ps", [...selection, "-o", "pid=,ppid=,pgid=,stat=,lstart="], {
    encoding: "utf8",
    timeout: PS_DEADLINE_MS,
    maxBuffer: 16 * 1024 * 1024,
    // For month names that Date.parse knows.
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" },
  });
  if (error) throw error;
  return stdout.split("\n").flatMap((text) => parsePsLine(text) ?? []);
}

import { type Environment, escapeForDisplay } from "../../../core/index.ts";
import { definedMembers } from "../../../core/internal.ts";
import type { EndpointStatus, FaultDetails, ServerConfig } from "../../contract/index.ts";
import { damagedNpxFolder } from "./damaged-npx-cache.ts";
import { stderrReason } from "./stderr-reason.ts";
import { unpassedVariables, unsetVariables } from "./unpassed-variables.ts";

/** What a process contributes to a fault: its exit, unless we ended it, and its standard error. */
export type ProcessRemains = Pick<
  FaultDetails,
  "exit" | "stderr" | "stderrReason" | "unpassed" | "unset" | "damagedCache"
>;

/** What is known about a server process. */
export interface ObservedProcess {
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  readonly stderr: string;
}

export function processRemains(
  { exit, stderr }: ObservedProcess,
  config: ServerConfig,
  ours?: Environment,
): ProcessRemains {
  const { reason, lines } = stderrReason(stderr);
  const env = config.kind === "stdio" ? config.env : undefined;
  const unpassed = unpassedVariables([...lines, ...stderr.split("\n")], env, ours);
  const unset = config.kind === "stdio" ? unsetVariables([reason, ...lines], env, ours) : [];
  return definedMembers({
    exit: exit && definedMembers({ code: exit.code, signal: exit.signal || undefined }),
    stderr: stderr || undefined,
    stderrReason: lines.length > 0 ? lines : undefined,
    unpassed: unpassed.length > 0 ? unpassed : undefined,
    unset: exit && unset.length > 0 ? unset : undefined,
    damagedCache: exit && damagedNpxFolder(config, stderr),
  });
}

/** Exit codes of shells and launchers for a program that cannot be run or is not there. */
const NO_PROGRAM: readonly (number | null)[] = [126, 127];

/**
 * Whether a process said that it ended for a reason that another start would not change: a missing variable, program or
 * package. Other failures of npm do not count: they may be races with another installation.
 */
export function endedForGood({ exit, unset, stderrReason: lines }: ProcessRemains): boolean {
  if (!exit || exit.code === 0) return false;
  const isNoPackage = /^npm (error|ERR!) (404|notarget)\b/.test(lines?.[0] ?? "");
  return unset !== undefined || isNoPackage || NO_PROGRAM.includes(exit.code);
}

/** The remains as the end of a message. */
export function processSummary({ exit, stderrReason: lines }: ProcessRemains): string {
  const ended = exit ? ` (${exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.code}`})` : "";
  return `${ended}${lines?.[0] ? `; standard error: ${lines[0]}` : ""}`;
}

const TAIL_LINES = 20;

/** Standard error for a status, safe to display. `lines`: why the process ended. */
export function shownStderr(
  stderr = "",
  lines: readonly string[] = [],
): Pick<EndpointStatus, "stderrTail" | "stderrReason"> {
  const tail = stderr.split("\n").slice(-TAIL_LINES).join("\n");
  return definedMembers({
    stderrTail: escapeForDisplay(tail, { keepNewlines: true }) || undefined,
    stderrReason: lines.length > 0 ? lines.map((line) => escapeForDisplay(line)) : undefined,
  });
}

import { escapeForDisplay } from "../../../core/index.ts";
import type { EndpointStatus, FaultDetails, ServerConfig } from "../../contract/index.ts";
import { damagedNpxFolder } from "./damaged-npx-cache.ts";
import { stderrReason } from "./stderr-reason.ts";
import { unpassedVariables } from "./unpassed-variables.ts";

/** What a process contributes to a fault: its exit, if it exited by itself, and what it wrote to standard error. */
export type ProcessRemains = Pick<
  FaultDetails,
  "exit" | "stderr" | "stderrReason" | "unpassed" | "damagedCache"
>;

/** What is known of a server process. */
export interface ObservedProcess {
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  readonly stderr: string;
}

export function processRemains({ exit, stderr }: ObservedProcess, config: ServerConfig): ProcessRemains {
  const { lines } = stderrReason(stderr);
  const env = config.kind === "stdio" ? config.env : undefined;
  const unpassed = unpassedVariables([...lines, ...stderr.split("\n")], env);
  const damagedCache = exit ? damagedNpxFolder(config, stderr) : undefined;
  return {
    ...(exit ? { exit: { code: exit.code, ...(exit.signal ? { signal: exit.signal } : {}) } } : {}),
    ...(stderr === "" ? {} : { stderr }),
    ...(lines.length > 0 ? { stderrReason: lines } : {}),
    ...(unpassed.length > 0 ? { unpassed } : {}),
    ...(damagedCache === undefined ? {} : { damagedCache }),
  };
}

/** The remains as the end of a message. */
export function processSummary({ exit, stderrReason: lines }: ProcessRemains): string {
  const ended = exit ? ` (${exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.code}`})` : "";
  return `${ended}${lines?.[0] ? `; standard error: ${lines[0]}` : ""}`;
}

const TAIL_LINES = 20;

/** Standard error for a status, safe to display. `lines`: those that say why the process ended. */
export function shownStderr(
  stderr = "",
  lines: readonly string[] = [],
): Pick<EndpointStatus, "stderrTail" | "stderrReason"> {
  const tail = stderr.split("\n").slice(-TAIL_LINES).join("\n");
  return {
    ...(tail === "" ? {} : { stderrTail: escapeForDisplay(tail, { keepNewlines: true }) }),
    ...(lines.length === 0 ? {} : { stderrReason: lines.map((line) => escapeForDisplay(line)) }),
  };
}

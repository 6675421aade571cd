import { backoffMs } from "../../../core/index.ts";
import { isProtocolFault } from "../../contract/index.ts";
import { httpStatusMeaning } from "../faults/http-statuses.ts";
import { symptomsOf } from "../faults/symptoms.ts";

/** How many times a request is repeated at most. */
const MAX_REPEATS = 3;

/** Methods without side effects. */
const SAFE_METHODS: ReadonlySet<string> = new Set([
  "ping",
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "tasks/get",
  "tasks/list",
]);

export interface Asked {
  readonly method: string;
  /** How many times it has been repeated already. */
  readonly repeats: number;
  readonly random?: () => number;
}

/**
 * The delay before a failed request is repeated, or `undefined` if it must not be: only after a temporary HTTP
 * status, and only if the request did not run or has no side effects. Waits at least as long as the server asks.
 */
export function askAgainAfterMs(thrown: unknown, asked: Asked): number | undefined {
  if (!isProtocolFault(thrown) || asked.repeats >= MAX_REPEATS) return undefined;
  const { status } = thrown.details;
  if (status === undefined) return undefined;
  const { isTemporary, didNotRun } = httpStatusMeaning(status);
  if (!isTemporary || !(didNotRun || SAFE_METHODS.has(asked.method))) return undefined;
  const backoff = backoffMs(asked.repeats, asked.random ? { random: asked.random } : {});
  return Math.max(backoff, symptomsOf(thrown).retryAfterMs ?? 0);
}

import { backoffMs } from "../../../core/index.ts";
import { isProtocolFault } from "../../contract/index.ts";
import { httpStatusMeaning } from "../faults/http-statuses.ts";
import { symptomsOf } from "../faults/symptoms.ts";

const MAX_RETRIES = 3;

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

export interface FailedRequest {
  readonly method: string;
  /** How many times it has been retried already. */
  readonly retries: number;
}

/**
 * The delay before a failed request is retried, or `undefined` if it must not be: only after a temporary HTTP
 * status, and only if the request did not run or has no side effects. Waits at least as long as the server asks.
 */
export function retryDelayMs(thrown: unknown, { method, retries }: FailedRequest): number | undefined {
  if (!isProtocolFault(thrown) || retries >= MAX_RETRIES) return undefined;
  const { status } = thrown.details;
  if (status === undefined) return undefined;
  const { isTemporary, didNotRun } = httpStatusMeaning(status);
  if (!isTemporary || !(didNotRun || SAFE_METHODS.has(method))) return undefined;
  return Math.max(backoffMs(retries), symptomsOf(thrown).retryAfterMs ?? 0);
}

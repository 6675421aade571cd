import { backoffMs } from "../../../core/index.ts";
import { isProtocolFault } from "../../contract/index.ts";
import { symptomsOf } from "../faults/error-faults.ts";
import { httpStatusMeaning } from "../faults/http-statuses.ts";

/** A request is asked again this often at the most. */
const MAX_REPEATS = 3;

/** Methods that only look: asking twice does nothing twice. */
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
  /** How often it has been asked again already. */
  readonly repeats: number;
  readonly random?: () => number;
}

/**
 * How long to wait before asking again for what failed so, or `undefined` not to ask again: only after an HTTP status that
 * passes, and only if the request did not run or does no harm twice. A server that names a time is given that time.
 */
export function askAgainAfterMs(thrown: unknown, asked: Asked): number | undefined {
  if (!isProtocolFault(thrown) || asked.repeats >= MAX_REPEATS) return undefined;
  const { status } = thrown.details;
  if (status === undefined) return undefined;
  const { isPassing, isUnrun } = httpStatusMeaning(status);
  if (!isPassing || !(isUnrun || SAFE_METHODS.has(asked.method))) return undefined;
  const backoff = backoffMs(asked.repeats, asked.random ? { random: asked.random } : {});
  return Math.max(backoff, symptomsOf(thrown).retryAfterMs ?? 0);
}

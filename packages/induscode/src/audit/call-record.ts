/**
 * How a call ended. A closed set: it is a filter of `indus audit` and a label of the metrics.
 *
 * - `ok`, `error`: the tool answered, with a result or with a failure
 * - `asked`: the call waits for answers of its user, and continues as a call of its own
 * - `refused`: a rule, a limit or a missing login
 * - `unknown`: there is no such tool, or not for this principal
 * - `cancelled`: the client cancelled it or went away
 * - `timeout`: a deadline passed
 * - `failed`: the server could not be reached, or its answer could not be used
 */
export const CALL_OUTCOMES = [
  "ok",
  "error",
  "asked",
  "refused",
  "unknown",
  "cancelled",
  "timeout",
  "failed",
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** One call: who, what, when, how long, how it ended, and sizes. Never the content. */
export interface CallRecord {
  /** The beginning, ISO 8601. */
  readonly at: string;
  /** The id of the request, in the log of the gateway too. */
  readonly id: string;
  /** The name of the token. Absent: the client had none. */
  readonly principal?: string;
  /** The id of the token. */
  readonly token?: string;
  /** The name and version that the client says it has; not authenticated. */
  readonly client?: string;
  /** The connection or session, else the principal, else the request. */
  readonly session: string;
  /** Absent for a tool of ours. */
  readonly server?: string;
  /** `server__tool` for a tool of a server, else the name that the client called. */
  readonly tool: string;
  readonly ms: number;
  readonly outcome: CallOutcome;
  /** The sizes of the arguments and of the result as JSON, in bytes, without escapes. */
  readonly argumentBytes: number;
  readonly resultBytes: number;
  /** The gateway that served it. */
  readonly pid: number;
}

export function recordLine(record: CallRecord): string {
  return `${JSON.stringify(record)}\n`;
}

const OUTCOMES: ReadonlySet<unknown> = new Set(CALL_OUTCOMES);

/** The record in a line. Undefined if the line is damaged: a power cut may leave half of one. */
export function parseRecord(line: string): CallRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { at, id, session, tool, ms, outcome } = value as { readonly [member: string]: unknown };
  const isRecord =
    [at, id, session, tool].every((text) => typeof text === "string") &&
    typeof ms === "number" &&
    OUTCOMES.has(outcome);
  return isRecord ? (value as CallRecord) : undefined;
}

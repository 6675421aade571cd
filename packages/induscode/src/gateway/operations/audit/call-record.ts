/**
 * How a call ended. A closed set: it is a filter of `indus audit` and a label of the metrics.
 *
 * - `ok`, `error`: the tool or the server answered, with a result or with a failure
 * - `asked`: the call waits for answers of its user, and continues as a call of its own
 * - `refused`: a rule, a limit or a missing login
 * - `unknown`: there is no such tool, not for this principal, or the server does not support the request
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

/** The requests that are recorded: those that a client sends to a tool or to a server. A closed set, as above. */
export const CALL_METHODS = ["tools/call", "resources/read", "prompts/get", "completion/complete"] as const;
export type CallMethod = (typeof CALL_METHODS)[number];

/** What a call used. Exactly one member is there. */
export interface CallTarget {
  /** `server__tool` for a tool of a server, else the name that the client called. */
  readonly tool?: string;
  /** `server__prompt`. */
  readonly prompt?: string;
  /** The scheme and the length of the URI: the rest of it may be content. */
  readonly resource?: string;
}

/** One call: who, what, when, how long, how it ended, and sizes. Never the content. */
export interface CallRecord extends CallTarget {
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
  readonly method: CallMethod;
  /** Absent for a tool of ours. */
  readonly server?: string;
  readonly ms: number;
  readonly outcome: CallOutcome;
  /** The sizes of the arguments and of the result as JSON, in bytes, without escapes. */
  readonly argumentBytes: number;
  readonly resultBytes: number;
  /** The gateway that served it. */
  readonly pid: number;
}

/** Which records are wanted. An absent member chooses all. */
export interface CallFilter {
  readonly server?: string;
  /** A name, or the beginning of names that ends in `*`. */
  readonly tool?: string;
  /** The name of a token; `-` for calls without one. */
  readonly principal?: string;
  /** Some of `CALL_METHODS`. */
  readonly methods?: readonly string[];
  /** Some of `CALL_OUTCOMES`. */
  readonly outcomes?: readonly string[];
}

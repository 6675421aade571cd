/**
 * How a call ended. A closed set: a filter of `indus audit` and a label of the metrics.
 *
 * - `ok`, `error`: the tool or the server answered, with a result or with a failure
 * - `asked`: the call waits for its user's answers, and continues as a separate call
 * - `refused`: a rule, a limit or a missing login
 * - `unknown`: there is no such tool, not for this principal, or the server does not support the request
 * - `cancelled`: the client cancelled it or disconnected
 * - `timeout`: a deadline passed
 * - `failed`: the server could not be reached, or its answer was unusable
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

/** The requests that are recorded. A closed set, as above: `extension` is any method that is passed on as it is. */
export const CALL_METHODS = [
  "tools/call",
  "resources/read",
  "prompts/get",
  "completion/complete",
  "skills/get",
  "resources/directory/read",
  "extension",
] as const;
export type CallMethod = (typeof CALL_METHODS)[number];

/** What a call used. Exactly one member is present. */
export interface CallTarget {
  /** `server__tool` for a tool of a server, otherwise the name that the client called. */
  readonly tool?: string;
  /** `server__prompt`. */
  readonly prompt?: string;
  /** The scheme and the length of the URI: the rest may be sensitive. */
  readonly resource?: string;
  /** The method of an extension. */
  readonly extension?: string;
}

/** One call: who, what, when, how long, how it ended, and sizes. Never the content. */
export interface CallRecord extends CallTarget {
  /** The start, ISO 8601. */
  readonly at: string;
  /** The id of the request, also in the gateway's log. */
  readonly id: string;
  /** The name of the token. Absent: the client had none. */
  readonly principal?: string;
  /** The id of the token. */
  readonly token?: string;
  /** The name and version that the client claims; not authenticated. */
  readonly client?: string;
  /** The connection or session; else the principal; else the request. */
  readonly session: string;
  readonly method: CallMethod;
  /** Absent for a native tool. */
  readonly server?: string;
  readonly ms: number;
  readonly outcome: CallOutcome;
  /** The sizes of the arguments and of the result as JSON, in bytes, without escapes. */
  readonly argumentBytes: number;
  readonly resultBytes: number;
  /** In code mode, the SHA-256 of the program that made the call. */
  readonly program?: string;
  /** The gateway that served it. */
  readonly pid: number;
}

/** Which records are wanted. An absent member matches all. */
export interface CallFilter {
  readonly server?: string | undefined;
  /** A name, or a prefix that ends in `*`. */
  readonly tool?: string | undefined;
  /** The name of a token; `-` for calls without one. */
  readonly principal?: string | undefined;
  /** Some of `CALL_METHODS`. */
  readonly methods?: readonly string[] | undefined;
  /** Some of `CALL_OUTCOMES`. */
  readonly outcomes?: readonly string[] | undefined;
}

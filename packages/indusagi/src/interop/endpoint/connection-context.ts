import type { Redactor } from "../../core/internal.ts";
import type { CallerAbilities, LogEntry } from "../../runtime/index.ts";
import {
  type Audience,
  CALL_TOTAL_MS,
  type MessageTransport,
  type ProtocolFault,
  type QuestionAnswerer,
  type ServerConfig,
  type ServerTimeouts,
  type TokenProvider,
  type WireEvent,
} from "../contract/index.ts";
import type { CallTraffic, LaunchPlace, StdioTransportOptions } from "../wire/index.ts";
import type { EraMemory } from "./connect/era-memory.ts";

/**
 * What every step of connecting, and every call on the connection, needs to know. The endpoint creates it once and passes it down
 * by reference.
 */
export interface ConnectionContext {
  /** The id of the server, named in every fault. */
  readonly server: string;
  /** As written, without the values that commands provide. */
  readonly config: ServerConfig;
  readonly options: EndpointOptions;
  /** Used instead of a transport made from the configuration. */
  readonly transport: MessageTransport | undefined;
  readonly timeouts: Required<ServerTimeouts>;
  /** The times of a call on this connection. */
  readonly times: CallTimes;
  /** Counts everything that arrives. */
  readonly traffic: CallTraffic;
  /** Removes the secrets of the server. */
  readonly redactor: Redactor;
  /** Aborts when the endpoint is closed. */
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
  /** Called when the connection ended without being closed. */
  readonly onLost: (fault: ProtocolFault) => void;
}

/**
 * The form in which a model sees a tool's schema: `portable`, `seed` (as the sister editions reshape it), or
 * `identity` (as the server wrote it).
 */
export type SchemaProfile = "portable" | "seed" | "identity";

export interface EndpointOptions {
  /** The name and version that the server is told. Default: ours. */
  readonly identity?: { readonly name: string; readonly version: string };
  /** For a server that sets no time limits. */
  readonly timeouts?: ServerTimeouts;
  /**
   * What ends a call that gets no answer: its time limit, or only its caller. With `caller` the limits in the server's row still
   * apply, but a call that passes the default limit only counts as late. Default `limit`.
   */
  readonly patience?: "limit" | "caller";
  /** Answers questions for calls that have no caller. Its abilities are advertised to the server. */
  readonly answers?: QuestionAnswerer;
  /** Abilities that callers of this endpoint will have. Advertised to a legacy server when it is connected. */
  readonly relays?: CallerAbilities;
  /** Called with log messages of a server that have no caller, or several possible ones. */
  readonly onLog?: (server: string, entry: LogEntry, audience: Audience) => void;
  /** Whether to ask a modern server for log messages of requests without a caller. Default: if there is an `onLog`. */
  readonly wantsLogs?: boolean;
  /** The client that owns this connection. */
  readonly owner?: string;
  /** Called for each message and each line of standard error, for logging. Must return quickly. */
  readonly onWire?: (server: string, event: WireEvent) => void;
  readonly schemaProfile?: SchemaProfile;
  /** Longest wire name. Default 64. */
  readonly nameLimit?: number;
  /** Default: the global one, with the proxies and the certificate file from the environment. */
  readonly fetch?: typeof fetch;
  /** Tokens for this server, if it is an HTTP server. */
  readonly auth?: TokenProvider;
  readonly eras?: EraMemory;
  /** The other end is a host of ours with the option `link`: it is told who makes each request, and tells why a call failed. */
  readonly link?: boolean;
  /** How long to wait for an unknown server to answer `server/discover`. Default 3 s. */
  readonly probeMs?: number;
  readonly stdio?: StdioTransportOptions;
  /** Where its process and the commands of its row start, and whose network settings count. Default: those of this process. */
  readonly place?: LaunchPlace | undefined;
  /**
   * Longest message of the server, in bytes. A longer one is dropped, and only the call it answers fails. Reading a message
   * takes the same memory again for its text, and more for its values. Default 64 MiB.
   */
  readonly maxMessageBytes?: number;
  /** How long after connecting the tools of an HTTP server are listed again. Default 1 s. */
  readonly relistMs?: number;
  /** How long the notification stream of a legacy server may be down before we reopen it. Default 5 s. */
  readonly reopenMs?: number;
}

/** The times of one call. */
export interface CallTimes {
  readonly timeoutMs: number;
  readonly totalMs: number;
  readonly lateMs: number;
}

/** `own` are the limits that the server's row names; `resolved` has the defaults. */
export function resolveCallTimes(
  own: ServerTimeouts = {},
  resolved: Required<ServerTimeouts>,
  patience: EndpointOptions["patience"] = "limit",
): CallTimes {
  const lateMs = resolved.callMs;
  if (patience === "limit") return { timeoutMs: resolved.callMs, totalMs: resolved.totalMs, lateMs };
  const { callMs: timeoutMs = Number.POSITIVE_INFINITY, totalMs = Number.POSITIVE_INFINITY } = own;
  return { timeoutMs, totalMs, lateMs };
}

/** Time limits with all defaults filled in. */
export function resolveTimeouts(...given: readonly (ServerTimeouts | undefined)[]): Required<ServerTimeouts> {
  const merged: ServerTimeouts = Object.assign({}, ...given.toReversed());
  return {
    connectMs: merged.connectMs ?? 30_000,
    listMs: merged.listMs ?? 30_000,
    callMs: merged.callMs ?? 120_000,
    totalMs: merged.totalMs ?? CALL_TOTAL_MS,
  };
}

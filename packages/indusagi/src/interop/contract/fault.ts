import { CoreError } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type { RpcError, ToolFault, ToolFaultKind, ToolFaultReason } from "../../runtime/index.ts";

/**
 * Why something in the bridge failed: one of six kinds, decided by where it failed, never by a message text.
 */
export type FaultKind = ToolFaultKind;

export const FaultKind: { readonly ALL: readonly FaultKind[] } = {
  ALL: Object.freeze([
    "transport",
    "protocol",
    "timeout",
    "tool_error",
    "not_connected",
    "spawn_failed",
  ] as const),
};

/** The thrown value that caused a fault, or a copy of the same class without the secrets of the server's row. */
export type FaultCause = unknown;

/** What is known about a fault besides its kind and message. */
export interface FaultDetails {
  readonly cause?: FaultCause;
  /** The server that it concerns. */
  readonly server?: string;
  /** A more specific cause within the kind. */
  readonly reason?: ToolFaultReason | (string & {});
  /** True only if the request certainly did not run. Default false. */
  readonly retrySafe?: boolean;
  /** The peer's JSON-RPC error, without the secrets of the server's row. */
  readonly rpc?: RpcError;
  /** The HTTP status of the answer. */
  readonly status?: number;
  /** What to install or create for a start to work: a well-known program such as `npx`, or the folder in `cwd`. */
  readonly install?: string;
  /** How the user logs in, where that is possible: a command to run. */
  readonly login?: string;
  /** How a server process ended. */
  readonly exit?: { readonly code: number | null; readonly signal?: string };
  /** The end of what a server process wrote to standard error, without secrets. */
  readonly stderr?: string;
  /** At most three lines of `stderr`: why the process ended, with context. */
  readonly stderrReason?: readonly string[];
  /** Variables that `stderr` mentions and that are set here, but were not passed to the process. */
  readonly unpassed?: readonly string[];
  /** Variables that a server process that ended said it needs, and that it did not get. */
  readonly unset?: readonly string[];
  /** The npx cache folder that seems to be damaged. Removing it repairs the server. */
  readonly damagedCache?: string;
}

/** A failure of the bridge. Its message names the server and does not repeat its kind. */
export class ProtocolFault extends CoreError<FaultKind> {
  readonly details: Omit<FaultDetails, "cause">;

  constructor(kind: FaultKind, message: string, details: FaultDetails = {}) {
    const { cause, ...rest } = details;
    super(kind, message, cause === undefined ? {} : { cause });
    this.details = rest;
  }

  get server(): string | undefined {
    return this.details.server;
  }

  get reason(): string | undefined {
    return this.details.reason;
  }

  get retrySafe(): boolean {
    return this.details.retrySafe === true;
  }

  get rpc(): RpcError | undefined {
    return this.details.rpc;
  }

  /** The fault in the form used in outcomes of calls. */
  toToolFault(): ToolFault {
    const { server, reason, rpc } = this.details;
    return definedMembers({ kind: this.kind, retrySafe: this.retrySafe, reason, server, rpc });
  }
}

export function protocolFault(kind: FaultKind, message: string, cause?: FaultCause): ProtocolFault {
  return new ProtocolFault(kind, message, cause === undefined ? {} : { cause });
}

/** Whether a value is a fault of the bridge, including one made by another loaded copy of this package. */
export function isProtocolFault(value: unknown): value is ProtocolFault {
  return (
    CoreError.is(value) && value.name === "ProtocolFault" && FaultKind.ALL.includes(value.kind as FaultKind)
  );
}

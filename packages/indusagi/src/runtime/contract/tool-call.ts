import type { ToolContentBlock, ToolOrigin } from "../../llm/index.ts";
import type { Questions } from "./caller.ts";

/** One request to run a tool. */
export interface ToolCall {
  /** Chosen by the caller and unique among its running calls. The outcome has the same id. */
  readonly id: string;
  /** The tool's name exactly as in its descriptor. */
  readonly name: string;
  /** The arguments as received, not coerced or checked. */
  readonly input: unknown;
  /** The request's `_meta` as received, without the progress token and the keys that MCP reserves. */
  readonly meta?: { readonly [key: string]: unknown };
  /** The caller asks for a task instead of the result; only with `can.task`. Absent: the tool decides. */
  readonly task?: TaskWish;
}

/** What a caller wishes for a task. */
export interface TaskWish {
  /** How long it should be kept. */
  readonly ttlMs?: number;
}

/** A tool's answer. A failure that the tool reports is an answer too: `isError` and a message that helps. */
export interface ToolResult {
  /** The content for the model, in order. */
  readonly content: readonly ToolContentBlock[];
  /** True if the tool failed. Absent means success. */
  readonly isError?: boolean;
  /** The answer as data. Matches the descriptor's `outputSchema`, if there is one. */
  readonly structured?: unknown;
  /** The result's `_meta`, passed on unchanged. */
  readonly meta?: { readonly [key: string]: unknown };
  /** The server's tool that was called, if this is the answer of a tool that calls others, such as `saas-action`. */
  readonly origin?: ToolOrigin;
  /** Why that tool did not answer. */
  readonly fault?: ToolFault;
}

/** The call waits for answers. To continue it, repeat it with `Caller.resume`. */
export interface Suspension {
  readonly requests: Questions;
  /** Returned unchanged in `Caller.resume`; opaque to every layer in between. */
  readonly state?: string;
}

/** The peer's result as received. Parsed only on demand, because most callers do not need it. */
export interface WireResult {
  /** The parsed result with all members, including unknown ones. */
  value(): unknown;
  /**
   * The result as JSON text exactly as received, so a large result can be passed on without parsing: valid JSON and UTF-8, without
   * raw line ends. Absent if the bytes were not kept, as those of small results.
   */
  bytes?(): Uint8Array;
  /** What is known without parsing. Present only with `bytes`. */
  readonly outline?: WireOutline;
}

/** What a result contains, for a layer that has to change only some results. */
export interface WireOutline {
  /** The members of the result. */
  readonly members: ReadonlySet<string>;
  /** The members of its content blocks, of all together. */
  readonly blockMembers: ReadonlySet<string>;
  /** The types of its content blocks; an empty text for one without a type. */
  readonly blockTypes: ReadonlySet<string>;
}

/**
 * The result of a call. Members may be getters: do not spread or clone an outcome. A wrapper that changes nothing
 * returns the same object.
 */
export interface ToolOutcome {
  /** The call's id. */
  readonly id: string;
  /** The folded answer: a single text block becomes its string, a single json block its value, else the array of blocks. */
  readonly output: unknown;
  /** True if the call failed, whether a tool or a layer in between reported it. */
  readonly isError: boolean;
  /** The unfolded answer. If no tool answered, it contains the error message. */
  readonly result: ToolResult;
  /** Present only if no tool answered. */
  readonly fault?: ToolFault;
  /** Present only if the call waits for answers, and only if the caller's `can.suspend` allows it. */
  readonly suspended?: Suspension;
  /** The task that the call goes on as, as its server describes it. Present only if the caller's `can.task` allows it. */
  readonly task?: { readonly [member: string]: unknown };
  /** Present only for a server's tool. */
  readonly wire?: WireResult;
}

/**
 * Why no tool answered. A closed set, decided by where the failure happened, never by the text of a message:
 *
 * - `transport`: the connection could not be opened, or was lost
 * - `protocol`: the peer's answer had the wrong shape
 * - `timeout`: a deadline passed
 * - `tool_error`: the peer rejected the call, or the tool does not exist
 * - `not_connected`: the connection was not usable when the call began
 * - `spawn_failed`: the server process could not be started
 */
export type ToolFaultKind =
  | "transport"
  | "protocol"
  | "timeout"
  | "tool_error"
  | "not_connected"
  | "spawn_failed";

/** The more specific causes that this project uses. Other code may add its own. */
export type ToolFaultReason = "unknown_tool" | "aborted" | "policy" | "auth" | "session_lost" | "unsupported";

/** A JSON-RPC error exactly as the peer sent it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Describes a call that ended without a tool's answer. */
export interface ToolFault {
  readonly kind: ToolFaultKind;
  /** A more specific cause within the kind. */
  readonly reason?: ToolFaultReason | (string & {});
  /** True only if the request certainly did not run, so repeating it is safe. */
  readonly retrySafe: boolean;
  /** The id of the server that failed, if a server was involved. */
  readonly server?: string;
  /** The peer's own error, with its code and data. */
  readonly rpc?: RpcError;
}

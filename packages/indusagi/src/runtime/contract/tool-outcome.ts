import type { Questions } from "./question.ts";
import type { ToolFault } from "./tool-fault.ts";
import type { ToolResult } from "./tool-result.ts";

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
  /** The result's bytes, if kept, so a large result can be passed on without parsing. Not used yet. */
  bytes?(): Uint8Array;
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
  /** Present only for a server's tool. */
  readonly wire?: WireResult;
}

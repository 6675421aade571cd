import type { Questions } from "./question.ts";
import type { ToolFault } from "./tool-fault.ts";
import type { ToolResult } from "./tool-result.ts";

/** The call waits for answers. It goes on when the same call comes again with `Caller.resume`. */
export interface Suspension {
  readonly requests: Questions;
  /** Given back verbatim on resumption; opaque to everybody between. */
  readonly state?: string;
}

/** The peer's result as it came over the wire. Lazy: most callers never look. */
export interface WireResult {
  /** The parsed result: every member, known to us or not. */
  value(): unknown;
  /** Its bytes, where they were kept, so that a large result can be passed on without being parsed. */
  bytes?(): Uint8Array;
}

/**
 * How a call ended. Members may be getters: nobody spreads or clones an outcome, and a wrapper that
 * changes nothing returns the very same object.
 */
export interface ToolOutcome {
  /** The call's id. */
  readonly id: string;
  /** The folded answer: one text block is its string, one json block its value, anything else the array of blocks. */
  readonly output: unknown;
  /** The call did not do what was asked, whoever says so. */
  readonly isError: boolean;
  /** The answer unfolded. Present also when no tool answered: then it holds the words that say why. */
  readonly result: ToolResult;
  /** Present only when no tool answered. */
  readonly fault?: ToolFault;
  /** Present only when the call waits for answers, and only if the caller's `can.suspend` allows it. */
  readonly suspended?: Suspension;
  /** Present only for a mounted tool. */
  readonly wire?: WireResult;
}

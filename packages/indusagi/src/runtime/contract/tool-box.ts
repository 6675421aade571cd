import type { ToolDescriptor } from "../../llm/index.ts";
import type { Caller } from "./caller.ts";
import type { ToolCall, ToolFault, ToolOutcome } from "./tool-call.ts";

/** Runs calls. Anything else that a layer must know about a call goes into `Caller`, not into a new parameter. */
export interface ToolRunner {
  /**
   * Always resolves: an unknown name, a tool that throws, a server that dies and an abort are all outcomes.
   * An abort ends the call at once; a later answer is dropped.
   */
  run(call: ToolCall, signal?: AbortSignal, caller?: Caller): Promise<ToolOutcome>;
}

/** A change of a box's tools. Each tool is in one of the lists only. */
export interface ToolBoxChange {
  readonly added: readonly ToolDescriptor[];
  /** The new descriptors of tools that kept their name. */
  readonly changed: readonly ToolDescriptor[];
  readonly removed: readonly ToolDescriptor[];
}

/**
 * A set of tools that can be listed and run. Native tools, MCP servers and the deck all produce a `ToolBox`; the
 * agent loop and the provider host use only this interface.
 */
export interface ToolBox {
  /** The current tools. Returns the same frozen array until the next change, so its identity serves as a version. */
  descriptors(): readonly ToolDescriptor[];
  readonly runner: ToolRunner;
  /** Calls `listener` after every change, when `descriptors()` already returns the new tools. Returns an unsubscribe function. */
  onChange(listener: (change: ToolBoxChange) => void): () => void;
  /**
   * Why a tool that is not listed is refused, for example because its server changed it; `undefined` if there is no such tool.
   * A call of it gets this refusal instead of "unknown tool". Absent: every tool that is not listed is unknown.
   */
  readonly refusalOf?: ((name: string) => ToolRefusal | undefined) | undefined;
}

/** The outcome that a call of a refused tool gets. */
export interface ToolRefusal {
  readonly message: string;
  readonly fault: ToolFault;
}

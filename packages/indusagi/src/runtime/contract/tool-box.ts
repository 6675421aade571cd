import type { ToolDescriptor } from "../../llm/index.ts";
import type { Caller } from "./caller.ts";
import type { ToolCall } from "./tool-call.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/** Runs calls. What a layer needs to know about a call beyond its signal goes into `Caller`. */
export interface ToolRunner {
  /**
   * Always resolves: an unknown name, a tool that throws, a server that dies and an abort are all outcomes.
   * An abort ends the call at once; what the tool still answers is dropped.
   */
  run(call: ToolCall, signal?: AbortSignal, caller?: Caller): Promise<ToolOutcome>;
}

/** How a box's tools differ from a moment ago. No descriptor is in two of the lists. */
export interface ToolBoxChange {
  readonly added: readonly ToolDescriptor[];
  /** The new descriptors of tools that kept their name. */
  readonly changed: readonly ToolDescriptor[];
  readonly removed: readonly ToolDescriptor[];
}

/**
 * A set of tools that can be listed and run: the waist of the whole house. Native tools, mounted servers
 * and the deck all end in one of these; the agent loop and the provider host know nothing else.
 */
export interface ToolBox {
  /** The tools on offer. The same frozen array until the next change: its identity is the version. */
  descriptors(): readonly ToolDescriptor[];
  readonly runner: ToolRunner;
  /** Hears every change, after `descriptors()` shows it. Returns the way to stop listening. */
  onChange(listener: (change: ToolBoxChange) => void): () => void;
}

import type { Caller, ToolCall } from "../../runtime/index.ts";
import type { Fs } from "./fs.ts";
import type { OutputBudget } from "./output-budget.ts";
import type { ReadStateHandle } from "./read-state.ts";
import type { Shell } from "./shell.ts";

/**
 * The session's shelf. One object for all calls of a session: what a tool remembers between calls
 * (the checklist, background jobs) belongs to this object's identity and goes when the session goes.
 */
export interface Framework {
  /** Switches on the read-before-edit gate. */
  readonly readState?: ReadStateHandle;
  /** Registers something to be ended with the session, at once if that has ended. Absent when the host has no end of session to offer. */
  onClose?(end: () => Promise<void>): void;
}

/** Everything a running tool may touch. */
export interface ToolContext {
  /** Names the session; the same for every call in it. */
  readonly contextId: string;
  /** Relative paths start here. Absolute. */
  readonly cwd: string;
  readonly fs: Fs;
  readonly shell: Shell;
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** How much text one answer may hold. */
  readonly budget: OutputBudget;
  readonly framework: Framework;
  /** The call being served. */
  readonly call: ToolCall;
  /** Who called. Absent when our own code did. */
  readonly caller?: Caller;
}

/** A context before any call: what a host makes once per session. Its signal, if it has one, aborts every call of it. */
export interface SessionContext extends Omit<ToolContext, "call" | "caller" | "signal"> {
  readonly signal?: AbortSignal;
}

import type { Caller, ToolCall } from "../../runtime/index.ts";
import type { Fs } from "./fs.ts";
import type { Shell } from "./shell.ts";

/** How much text a tool may return to a model, and which part to keep. */
export interface OutputBudget {
  /** The part to keep: the start (`head`), the end (`tail`), or both ends (`middle`). */
  readonly kind: "head" | "tail" | "middle";
  /** UTF-8 bytes to keep, without the notice. */
  readonly maxBytes: number;
  /** The text that replaces the omitted bytes. */
  readonly notice?: (omittedBytes: number) => string;
}

/** A folder for output that is too long for an answer. It is outside the folder in which tools work. */
export interface OutputPlace {
  /** Absolute. Its parent exists. Files in it stay when the session ends. */
  readonly folder: string;
  /** How a model reads a file of the folder, as a clause. Default: with `read` or `grep`. */
  howToRead?(path: string): string;
}

/**
 * One object for all calls of a session. Tools keep their state between calls (the checklist, background jobs) in
 * WeakMaps with this object as the key.
 */
export interface Framework {
  /** Enables the read-before-edit gate. */
  readonly readState?: ReadStateHandle;
  /** Where the whole output of a command goes if it is too long for an answer. Default: see `outputPlace` of `makeLocalContext`. */
  readonly outputPlace?: OutputPlace;
  /** Registers a function to call when the session ends, or at once if it has ended. Absent if sessions have no end. */
  onClose?(end: () => Promise<void>): void;
}

/** Everything that a running tool may use. */
export interface ToolContext {
  /** Identifies the session; the same for all its calls. */
  readonly contextId: string;
  /** The folder for relative paths. Absolute. */
  readonly cwd: string;
  readonly fs: Fs;
  readonly shell: Shell;
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** How much text one result may have. */
  readonly budget: OutputBudget;
  readonly framework: Framework;
  /** The current call. */
  readonly call: ToolCall;
  /** Who made the call. Absent if our own code did. */
  readonly caller?: Caller;
}

/** The context of a session, without a call. Its signal, if any, aborts all calls of the session. */
export interface SessionContext extends Omit<ToolContext, "call" | "caller" | "signal"> {
  readonly signal?: AbortSignal;
}

/** A file as a session last saw it. */
export interface ReadRecord {
  readonly mtimeMs: number;
  readonly size: number;
  /** Hash of the bytes. Absent for files too large to hash; then time and size are compared. */
  readonly contentHash?: string;
  /** In milliseconds since the Unix epoch. */
  readonly readAt: number;
}

/**
 * The files that a session has seen, by absolute real path. A host that sets `ctx.framework.readState` enables the
 * read-before-edit gate: a file that the session has not seen, or that has changed since, is not overwritten.
 */
export interface ReadStateHandle {
  get(path: string): ReadRecord | undefined;
  set(path: string, record: ReadRecord): void;
  has(path: string): boolean;
}

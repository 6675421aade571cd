import type { Environment } from "indusagi/core";
import type { ToolCall } from "indusagi/runtime";

/** Makes the environment that keeps a proven reader read-only. A rejection refuses the command. */
export type ReaderEnvironment = (signal: AbortSignal) => Promise<Environment>;

const environments = new WeakMap<ToolCall, ReaderEnvironment>();

/** Marks a call that is allowed only because its command reads, in this environment. Called by a gate in plan mode. */
export function markReader(call: ToolCall, environment: ReaderEnvironment): void {
  environments.set(call, environment);
}

/** The environment that a call must run in. Undefined if it may do more than read. */
export function readerEnvironmentOf(call: ToolCall | undefined): ReaderEnvironment | undefined {
  return call && environments.get(call);
}

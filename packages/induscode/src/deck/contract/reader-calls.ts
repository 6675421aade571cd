import type { Environment } from "indusagi/core";
import type { ToolCall } from "indusagi/runtime";

/** Makes the variables with which a command that was proven to only read stays one. A rejection refuses the command. */
export type ReaderEnvironment = (signal: AbortSignal) => Promise<Environment>;

const environments = new WeakMap<ToolCall, ReaderEnvironment>();

/** Notes that a call runs only because its command reads, and what that depends on. A gate calls this in plan mode. */
export function markReader(call: ToolCall, environment: ReaderEnvironment): void {
  environments.set(call, environment);
}

/** The environment that a call must run in. Undefined: it may do more than read. */
export function readerEnvironmentOf(call: ToolCall | undefined): ReaderEnvironment | undefined {
  return call && environments.get(call);
}

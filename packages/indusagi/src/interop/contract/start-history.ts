import type { ServerConfig } from "./config.ts";

/**
 * What is known about earlier starts of a server. The fleet asks it for the order of starts and for first starts, which may
 * install a package. An implementation that lasts longer than the process must recognise a server by its launch, not by its
 * id: a server whose launch changed has never been ready. No method may throw.
 */
export interface StartHistory {
  /** How long the last good start took, from the slot in the start queue to ready. `undefined`: it has never been ready. */
  readyMs(config: ServerConfig): number | undefined;
  /** Whether it was started before, with success or not. A server that was tried and never ready starts after the others. */
  wasTried?(config: ServerConfig): boolean;
  /** Called when a start begins: one that is cut off, or never ends, was a try too. */
  recordTry?(config: ServerConfig): void;
  /** Called after each start that succeeded. */
  recordReady(config: ServerConfig, readyMs: number): void;
  /** Called after each start that failed. */
  recordFailure?(config: ServerConfig): void;
}

import { CoreError, joinSignals } from "../../../core/index.ts";
import type { Shell } from "../../contract/index.ts";

/** A shell whose commands end with the session. */
export interface SessionShell {
  readonly shell: Shell;
  /** Ends what runs, waits until it is gone, and lets nothing new start. */
  close(): Promise<void>;
}

/**
 * Ties a shell to a session. Here and not in the signal of every call: joining signals costs more than most calls do,
 * and only commands outlive a session. What `spawn` has started belongs to whoever started it.
 */
export function sessionShell(shell: Shell): SessionShell {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    shell: {
      exec: async (command, options = {}) => {
        closing.signal.throwIfAborted();
        const run = shell.exec(command, { ...options, signal: joinSignals(options.signal, closing.signal) });
        running.add(run);
        try {
          return await run;
        } finally {
          running.delete(run);
        }
      },
      spawn: async (command, options) => {
        closing.signal.throwIfAborted();
        return shell.spawn(command, options);
      },
    },
    close: async () => {
      closing.abort(new CoreError("closed", "the session has ended, and its commands with it"));
      await Promise.allSettled(running);
    },
  };
}

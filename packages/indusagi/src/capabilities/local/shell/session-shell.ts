import { CoreError, joinSignals } from "../../../core/index.ts";
import type { Shell } from "../../contract/index.ts";

/** A shell whose commands end with the session. */
export interface SessionShell {
  readonly shell: Shell;
  /** Ends running commands, waits for them, and refuses new ones. */
  close(): Promise<void>;
}

/**
 * Binds a shell to a session. The session's signal is joined here and not for every call, because joining costs more
 * than most calls, and only commands can outlive a session. Processes started with `spawn` belong to their caller.
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
      closing.abort(new CoreError("closed", "the session is closed, so its commands were stopped"));
      await Promise.allSettled(running);
    },
  };
}

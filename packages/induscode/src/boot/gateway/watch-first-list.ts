/** The first list of tools that a client gets. */
export interface FirstList {
  /** Resolves when it has been sent. Without a client that asks for it, a second after the servers may start. */
  readonly sent: Promise<void>;
  /** The servers may start. */
  begin(): void;
  /** It has been sent. */
  note(): void;
}

const WAIT_MS = 1_000;

/**
 * Over stdio the client that started us asks for its tools at once. Processes that start and hashes for the ledger compete with
 * the answer, so that they wait for it. Over HTTP clients come at any time, and nothing waits for them.
 */
export function watchFirstList(transport: "stdio" | "http", waitMs: number = WAIT_MS): FirstList {
  let note = (): void => {};
  const sent = new Promise<void>((resolve) => (note = resolve));
  return {
    sent,
    begin: () => {
      if (transport === "http") note();
      else setTimeout(note, waitMs).unref();
    },
    note,
  };
}

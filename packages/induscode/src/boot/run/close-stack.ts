/** Holds what was opened, and closes it in reverse order. */
export interface CloseStack extends AsyncDisposable {
  /** Keeps what was opened. If the stack is closed before that, it closes the opened thing and rejects. */
  open<Opened extends AsyncDisposable>(opening: Promise<Opened>): Promise<Opened>;
  /** Calls `close` in its turn, or at once if everything else is closed already. */
  defer(close: () => void | Promise<void>): void;
}

export function createCloseStack(): CloseStack {
  const closers: (() => void | PromiseLike<void>)[] = [];
  let state: "open" | "closing" | "closed" = "open";
  const closeAll = async (): Promise<void> => {
    state = "closing";
    const failures: unknown[] = [];
    for (let close = closers.pop(); close; close = closers.pop()) {
      try {
        await close();
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    state = "closed";
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, "several parts of the run failed to close");
  };
  return {
    open: async (opening) => {
      const opened = await opening;
      if (state !== "open") {
        await opened[Symbol.asyncDispose]();
        throw new Error("opened too late: the run is already closed");
      }
      closers.push(() => opened[Symbol.asyncDispose]());
      return opened;
    },
    defer: (close) => {
      closers.push(close);
      if (state === "closed") closeAll().catch(() => {}); // No caller is left to get its error.
    },
    [Symbol.asyncDispose]: closeAll,
  };
}

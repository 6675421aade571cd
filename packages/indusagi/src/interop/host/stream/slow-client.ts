import type { ServerResponse } from "node:http";

/** Resolves when the written data has left, or the response is closed. */
export function roomIn(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
    if (outgoing.destroyed) done();
  });
}

/** Ends a response that is not read for `stalledMs`: its client is treated as gone. */
export function followStalls(out: ServerResponse, stalledMs: number): void {
  out.setTimeout(stalledMs, () => void (out.writableLength > 0 && out.destroy()));
}

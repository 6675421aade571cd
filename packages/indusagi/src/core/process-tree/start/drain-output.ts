import type { Readable } from "node:stream";

/** Hears output as it comes. A promise makes the process wait until it settles: that is how a slow disk is felt. */
export type OutputListener = (chunk: Buffer) => void | Promise<void>;

/** One output stream of a process, being read to its end. */
export interface DrainedOutput {
  /** Resolves when everything has been heard, or the stream was destroyed. Never rejects. */
  readonly ended: Promise<void>;
  destroy(): void;
}

/** Reads a stream to its end whatever the listener does: a process whose output nobody reads stands still. */
export function drainOutput(stream: Readable | null, listener?: OutputListener): DrainedOutput {
  if (!stream) return { ended: Promise.resolve(), destroy: () => {} };

  const ended = new Promise<void>((resolve) => void stream.once("close", resolve));
  stream.on("error", () => {});
  if (listener) stream.on("data", heardBy(listener, stream));
  else stream.resume();
  return { ended, destroy: () => void stream.destroy() };
}

function heardBy(listener: OutputListener, stream: Readable): (chunk: Buffer) => void {
  // Counted, because node itself lets a paused stream go on when the process exits.
  let unsettled = 0;
  const goOn = (): void => {
    unsettled -= 1;
    if (unsettled === 0) stream.resume();
  };
  return (chunk) => {
    try {
      const busy = listener(chunk);
      if (!busy) return;
      unsettled += 1;
      stream.pause();
      busy.then(goOn, goOn);
    } catch {
      // A listener's own trouble must not stop the draining.
    }
  };
}

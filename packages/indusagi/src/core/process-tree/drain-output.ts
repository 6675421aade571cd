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
  if (!listener) stream.resume();
  else stream.on("data", (chunk: Buffer) => hear(stream, listener, chunk));
  return { ended, destroy: () => void stream.destroy() };
}

function hear(stream: Readable, listener: OutputListener, chunk: Buffer): void {
  try {
    const busy = listener(chunk);
    if (!busy) return;
    stream.pause();
    const goOn = (): void => void stream.resume();
    busy.then(goOn, goOn);
  } catch {
    // A listener's own trouble must not stop the draining.
  }
}

import type { Readable } from "node:stream";

/** Called with each chunk of output. If it returns a promise, reading pauses until the promise settles (backpressure). */
export type OutputListener = (chunk: Buffer) => void | Promise<void>;

/** An output stream of a process that is read to its end. */
export interface DrainedOutput {
  /** Resolves when all output has been read, or the stream was destroyed. Never rejects. */
  readonly ended: Promise<void>;
  destroy(): void;
}

/** Reads a stream to its end even if the listener fails: a process blocks when its output is not read. */
export function drainOutput(stream: Readable | null, listener?: OutputListener): DrainedOutput {
  if (!stream) return { ended: Promise.resolve(), destroy: () => {} };

  const ended = new Promise<void>((resolve) => void stream.once("close", resolve));
  stream.on("error", () => {});
  if (listener) stream.on("data", onData(listener, stream));
  else stream.resume();
  return { ended, destroy: () => void stream.destroy() };
}

function onData(listener: OutputListener, stream: Readable): (chunk: Buffer) => void {
  // Counted, because Node resumes a paused stream itself when the process exits.
  let unsettled = 0;
  const resume = (): void => {
    unsettled -= 1;
    if (unsettled === 0) stream.resume();
  };
  return (chunk) => {
    try {
      const pending = listener(chunk);
      if (!pending) return;
      unsettled += 1;
      stream.pause();
      pending.then(resume, resume);
    } catch {
      // An error in the listener must not stop the reading.
    }
  };
}

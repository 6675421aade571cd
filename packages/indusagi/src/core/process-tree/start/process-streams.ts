import type { Readable, Writable } from "node:stream";
import { CoreError } from "../../core-error.ts";

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

/** Input could not be written to a process. */
export class TreeInputError extends CoreError<"input_closed" | "input_full"> {}

/** Writes to the standard input of a process. */
export interface InputQueue {
  /**
   * Resolves when the bytes are in the pipe; rejects when the process has stopped reading or too much is queued.
   * The promise may be ignored: its rejection is never unhandled.
   */
  readonly write: (data: string | Uint8Array) => Promise<void>;
  /** The same with a callback instead of a promise, for many small writes. It may be called at once. */
  readonly send: (data: string | Uint8Array, done: (failure?: TreeInputError) => void) => void;
  /** Writes what is queued, then closes. */
  close(): void;
  /** Closes at once and discards what is queued. */
  destroy(): void;
}

/** `stream` is absent when the process was started without standard input. */
export function createInputQueue(stream: Writable | null, maxQueuedBytes: number): InputQueue {
  // A broken pipe is reported by the write that it affects.
  stream?.on("error", () => {});

  const send: InputQueue["send"] = (data, done) => {
    if (!stream?.writable)
      return done(new TreeInputError("input_closed", "the process does not accept more input"));
    if (stream.writableLength > maxQueuedBytes)
      return done(
        new TreeInputError("input_full", `more than ${maxQueuedBytes} bytes wait to be read by the process`),
      );
    // A callback per write: with many writes, listeners on "drain" would pile up.
    stream.write(data, (cause) => {
      if (cause) done(new TreeInputError("input_closed", "the process stopped reading its input", { cause }));
      else done();
    });
  };

  return {
    send,
    write(data) {
      const written = new Promise<void>((resolve, reject) => {
        send(data, (failure) => (failure ? reject(failure) : resolve()));
      });
      written.catch(() => {});
      return written;
    },
    close: () => void stream?.end(),
    destroy: () => void stream?.destroy(),
  };
}

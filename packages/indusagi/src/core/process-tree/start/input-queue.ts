import type { Writable } from "node:stream";
import { CoreError } from "../../core-error.ts";

/** Something could not be written to a process. */
export class TreeInputError extends CoreError<"input_closed" | "input_full"> {}

/** The way into a process's standard input. */
export interface InputQueue {
  /**
   * Resolves when the bytes are on their way; rejects when nobody reads them any more or too many wait already.
   * Whoever does not care need not look at the promise: a reader that goes away harms nobody.
   */
  write(data: string | Uint8Array): Promise<void>;
  /** Lets what waits go out, then closes. */
  close(): void;
  /** Closes at once; what waits is dropped. */
  destroy(): void;
}

/** `stream` is absent when the process was started without standard input. */
export function createInputQueue(stream: Writable | null, maxQueuedBytes: number): InputQueue {
  // A broken pipe is reported to each write that it hits.
  stream?.on("error", () => {});

  const write = (data: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!stream || !stream.writable) {
        return reject(new TreeInputError("input_closed", "the process takes no more input"));
      }
      if (stream.writableLength > maxQueuedBytes) {
        return reject(
          new TreeInputError(
            "input_full",
            `more than ${maxQueuedBytes} bytes wait to be read by the process`,
          ),
        );
      }
      // Each write has its own callback: listeners on "drain" would pile up with many writes under way.
      stream.write(data, (cause) => {
        if (cause)
          reject(new TreeInputError("input_closed", "the process stopped reading its input", { cause }));
        else resolve();
      });
    });

  return {
    write(data) {
      const written = write(data);
      written.catch(() => {});
      return written;
    },
    close: () => void stream?.end(),
    destroy: () => void stream?.destroy(),
  };
}

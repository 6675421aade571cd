import { StringDecoder } from "node:string_decoder";
import { callListener } from "../../../core/index.ts";
import type { ShellExecOptions, ShellStream } from "../../contract/index.ts";

/** Passes the output of a command on as text. */
export interface OutputTap {
  write(stream: ShellStream, chunk: Buffer): void;
  /** Passes on what is left of an incomplete character. */
  end(): void;
}

/** A character that is split between two chunks is passed on when it is complete. */
export function createOutputTap(options: Pick<ShellExecOptions, "onOutput">): OutputTap {
  if (!options.onOutput) return { write: () => {}, end: () => {} };
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  const emit = (stream: ShellStream, output: string): void => {
    if (output !== "") callListener((text) => options.onOutput?.(stream, text), output);
  };
  return {
    write: (stream, chunk) => emit(stream, decoders[stream].write(chunk)),
    end: () => {
      for (const stream of ["stdout", "stderr"] as const) emit(stream, decoders[stream].end());
    },
  };
}

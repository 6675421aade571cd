import type { ProviderHost, RunningProviderHost } from "../../../contract/index.ts";
import { StdioWire } from "../../../wire/index.ts";
import { claimStdout } from "./claim-stdout.ts";

export interface StdioServeOptions {
  readonly stdin?: NodeJS.ReadableStream;
  /** Where messages are written. Default: this process's standard output, which is then reserved for the protocol. */
  readonly stdout?: NodeJS.WritableStream;
  /** Longest message, in bytes. Default 64 MiB. */
  readonly frameBytes?: number;
}

/**
 * Serves a host on standard input and output until the input ends. Meanwhile, whatever a tool or a library prints
 * goes to standard error.
 */
export async function serveStdio(
  host: ProviderHost,
  options: StdioServeOptions = {},
): Promise<RunningProviderHost> {
  const claimed = options.stdout ? undefined : claimStdout();
  const wire = new StdioWire({
    input: options.stdin ?? process.stdin,
    write: claimed ? (text, done) => claimed.write(text, done) : writerOf(options.stdout ?? process.stdout),
    frameBytes: options.frameBytes ?? 64 * 1024 * 1024,
  });
  try {
    const running = await host.connect(wire);
    void running.waiting().then(() => claimed?.release());
    return running;
  } catch (thrown) {
    claimed?.release();
    throw thrown;
  }
}

function writerOf(
  stream: NodeJS.WritableStream,
): (text: string, done: (error?: Error | null) => void) => void {
  return (text, done) => void stream.write(text, done);
}

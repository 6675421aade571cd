import type { ProviderHost, RunningProviderHost } from "../contract/index.ts";
import { StdioWire } from "../wire/index.ts";

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

/** Standard output, reserved for the protocol. */
interface ClaimedStdout {
  /** Writes to the real standard output. */
  write(text: string | Uint8Array, done: (error?: Error | null) => void): void;
  release(): void;
}

/** Redirects what this process prints to standard error, except what is written through the claim. */
function claimStdout(): ClaimedStdout {
  const { stdout, stderr } = process;
  const original = Reflect.get(stdout, "write");
  const write = original.bind(stdout);
  // Writers learn of a closed reader through their callbacks; the error event must not end the process too.
  for (const stream of [stdout, stderr]) stream.off("error", ignored).on("error", ignored);
  // `console` uses this function too.
  stdout.write = stderr.write.bind(stderr);
  return {
    write: (text, done) => void write(text, done),
    release: () => {
      stdout.write = original;
    },
  };
}

function ignored(): void {}

function writerOf(
  stream: NodeJS.WritableStream,
): (text: string | Uint8Array, done: (error?: Error | null) => void) => void {
  return (text, done) => void stream.write(text, done);
}

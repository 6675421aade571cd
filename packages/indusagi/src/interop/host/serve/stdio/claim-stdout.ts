/** Standard output, reserved for the protocol. */
export interface ClaimedStdout {
  /** Writes to the real standard output. */
  write(text: string, done: (error?: Error | null) => void): void;
  release(): void;
}

/** Redirects what this process prints to standard error, except what is written through the claim. */
export function claimStdout(): ClaimedStdout {
  const { stdout, stderr } = process;
  const original = Reflect.get(stdout, "write");
  const write = original.bind(stdout);
  // A writer learns of a closed reader through its callback; the error event must not also end the process.
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

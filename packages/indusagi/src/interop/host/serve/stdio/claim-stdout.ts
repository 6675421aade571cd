/** Standard output, taken for the protocol. */
export interface ClaimedStdout {
  /** Writes to standard output for real. */
  write(text: string, done: (error?: Error | null) => void): void;
  release(): void;
}

/** Sends everything this process prints to standard error, but for what is written through the claim. */
export function claimStdout(): ClaimedStdout {
  const { stdout, stderr } = process;
  const original = Reflect.get(stdout, "write");
  const write = original.bind(stdout);
  // Whoever writes for real is told that the reader is gone; it must not end the process besides, now or later.
  for (const stream of [stdout, stderr]) stream.off("error", ignored).on("error", ignored);
  // `console` writes through here too, whoever calls it.
  stdout.write = stderr.write.bind(stderr);
  return {
    write: (text, done) => void write(text, done),
    release: () => {
      stdout.write = original;
    },
  };
}

function ignored(): void {}

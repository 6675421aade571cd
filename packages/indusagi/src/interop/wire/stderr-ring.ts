/** The end of what a process wrote to standard error. */
export interface StderrRing {
  push(chunk: Buffer): void;
  /** The last lines as text, at most `lines` of them. */
  tail(lines: number): string;
}

/** Keeps the last `maxBytes`, whatever comes: enough to quote in a fault, never enough to hurt. */
export function createStderrRing(maxBytes: number): StderrRing {
  let chunks: Buffer[] = [];
  let bytes = 0;
  return {
    push(chunk) {
      chunks.push(chunk.subarray(-maxBytes));
      bytes += chunk.length;
      // Joined now and then, not at every chunk: a process that floods us is felt by nobody else.
      if (bytes < maxBytes * 2) return;
      const joined = Buffer.from(Buffer.concat(chunks).subarray(-maxBytes));
      chunks = [joined];
      bytes = joined.length;
    },
    tail(lines) {
      const text = Buffer.concat(chunks).subarray(-maxBytes).toString("utf8").trimEnd();
      return text.split("\n").slice(-lines).join("\n");
    },
  };
}

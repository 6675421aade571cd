/** The last part of what a process wrote to standard error. */
export interface StderrRing {
  push(chunk: Buffer): void;
  /** At most this many of the last lines, as text. */
  tail(lines: number): string;
}

/** Keeps the last `maxBytes` bytes. */
export function createStderrRing(maxBytes: number): StderrRing {
  let chunks: Buffer[] = [];
  let bytes = 0;
  return {
    push(chunk) {
      chunks.push(chunk.subarray(-maxBytes));
      bytes += chunk.length;
      // Joined only when twice the limit has arrived, so that a flood of small chunks stays cheap.
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

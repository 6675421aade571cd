import { type Redactor, wholeCharactersStart } from "../../core/internal.ts";

/** The last part of what a process wrote to standard error. */
export interface StderrRing {
  push(chunk: Buffer): void;
  /** Everything that is kept. */
  text(): string;
}

/** Keeps the last `maxBytes` bytes. Texts are redacted as a whole, because a secret may arrive in several chunks. */
export function createStderrRing(maxBytes: number, redactor: Redactor): StderrRing {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  let shown: string | undefined;
  return {
    push(chunk) {
      shown = undefined;
      chunks.push(chunk.subarray(-maxBytes));
      bytes += chunk.length;
      isCut ||= bytes > maxBytes;
      // Joined only when twice the limit has arrived, so that a flood of small chunks stays cheap.
      if (bytes < maxBytes * 2) return;
      const joined = Buffer.from(Buffer.concat(chunks).subarray(-maxBytes));
      chunks = [joined];
      bytes = joined.length;
    },
    text() {
      shown ??= redactor.text(wholeText(Buffer.concat(chunks).subarray(-maxBytes)), {
        start: isCut,
        end: true,
      });
      return shown;
    },
  };
}

/** The bytes may begin within a character. */
function wholeText(bytes: Buffer): string {
  return bytes.toString("utf8", wholeCharactersStart(bytes)).trimEnd();
}

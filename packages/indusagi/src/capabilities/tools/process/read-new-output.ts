import { plainText } from "../../../core/index.ts";
import { wholeCharactersEnd, wholeCharactersStart } from "../../../core/internal.ts";
import type { Fs } from "../../contract/index.ts";
import type { Job } from "./job.ts";

/** A job's output since the last poll. */
export interface NewOutput {
  readonly text: string;
  /** Bytes before `text` that were skipped; they are in the log. */
  readonly skippedBytes: number;
}

/** Reads from where the last read stopped, at most the last `maxBytes`, and marks them as shown. */
export function readNewOutput(job: Job, fs: Fs, maxBytes: number): Promise<NewOutput> {
  // One after the other, so that two parallel polls get different parts.
  const reading = job.lastReading.then(() => readOn(job, fs, maxBytes));
  job.lastReading = reading.catch(() => {});
  return reading;
}

async function readOn(job: Job, fs: Fs, maxBytes: number): Promise<NewOutput> {
  const file = await fs.open(job.logPath);
  try {
    const { size } = file.info;
    const from = Math.max(job.shownBytes, size - maxBytes);
    const bytes = await file.read(from, size - from);
    const isCut = from > job.shownBytes;
    const start = isCut ? wholeCharactersStart(bytes) : 0;
    // An incomplete character at the end is left for the next read.
    const end = job.ended ? bytes.length : wholeCharactersEnd(bytes);
    const skippedBytes = from + start - job.shownBytes;
    job.shownBytes = from + Math.max(start, end);
    return { text: plainText(Buffer.from(bytes.subarray(start, end)).toString("utf8")), skippedBytes };
  } finally {
    await file.close();
  }
}

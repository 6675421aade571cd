import { wholeCharactersEnd, wholeCharactersStart } from "../../../core/internal.ts";
import type { Fs } from "../../contract/index.ts";
import { plainText } from "../shell/plain-text.ts";
import type { Job } from "./job.ts";

/** What a job has said since it was last asked. */
export interface NewOutput {
  readonly text: string;
  /** How many bytes before `text` were left out; they are in the log. */
  readonly skippedBytes: number;
}

/** Reads on from where the last reading stopped, the last `maxBytes` at most, and marks them as shown. */
export function readNewOutput(job: Job, fs: Fs, maxBytes: number): Promise<NewOutput> {
  // One after the other: of two polls at once each gets its own part.
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
    // The rest of a character that is still being written comes next time.
    const end = job.ended ? bytes.length : wholeCharactersEnd(bytes);
    const skippedBytes = from + start - job.shownBytes;
    job.shownBytes = from + Math.max(start, end);
    return { text: plainText(Buffer.from(bytes.subarray(start, end)).toString("utf8")), skippedBytes };
  } finally {
    await file.close();
  }
}

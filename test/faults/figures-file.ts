import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where the cases of one long run put their figures on record, for the reporter to read. */
export const figuresFile: string = join(tmpdir(), `indus-figures-${process.pid}.jsonl`);

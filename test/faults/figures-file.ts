import { tmpdir } from "node:os";
import { join } from "node:path";

/** The cases of one long run append their figures to this file; the reporter reads it. */
export const figuresFile: string = join(tmpdir(), `indus-figures-${process.pid}.jsonl`);

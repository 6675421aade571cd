import { appendLines } from "./line-file.ts";

/** Appends lines to files in batches, so callers do not wait for writes. */
export interface LineWriter extends AsyncDisposable {
  /** Never throws. Lines are written soon, and when the writer is closed. */
  append(path: string, line: string): void;
}

export interface LineWriterOptions {
  /** The size of one file; a path has at most two. */
  readonly maxBytes: number;
  /** Called when lines of a path cannot be written, once until that works again. These lines are lost. */
  readonly onFailure: (thrown: unknown) => void;
}

const DELAY_MS = 200;
/** More than this is written at once, to limit memory. */
const MAX_WAITING_CHARS = 64 * 1024;

export function openLineWriter({ maxBytes, onFailure }: LineWriterOptions): LineWriter {
  const waiting = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const failed = new Set<string>();

  const write = (path: string, lines: string): void => {
    waiting.delete(path);
    try {
      appendLines(path, lines, maxBytes);
      failed.delete(path);
    } catch (thrown) {
      if (!failed.has(path)) onFailure(thrown);
      failed.add(path);
    }
  };
  const writeAll = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const [path, lines] of waiting) write(path, lines);
  };
  return {
    append: (path, line) => {
      const lines = (waiting.get(path) ?? "") + line;
      waiting.set(path, lines);
      if (lines.length > MAX_WAITING_CHARS) write(path, lines);
      else timer ??= setTimeout(writeAll, DELAY_MS).unref();
    },
    [Symbol.asyncDispose]: async () => writeAll(),
  };
}

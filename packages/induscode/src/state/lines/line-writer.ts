import { appendLines } from "./line-file.ts";

/** Appends lines to files in batches, so callers do not wait for writes. */
export interface LineWriter extends AsyncDisposable {
  /**
   * Never throws. Lines are written soon, and when the writer is closed. A function is called then: what a call leaves is formatted
   * when nobody waits for it.
   */
  append(path: string, line: string | (() => string)): void;
  /** Writes what waits. Never throws. */
  flush(): void;
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
/** What a line that is not formatted yet counts as. */
const UNKNOWN_CHARS = 512;

interface WaitingLines {
  readonly lines: (string | (() => string))[];
  chars: number;
}

export function openLineWriter({ maxBytes, onFailure }: LineWriterOptions): LineWriter {
  const waiting = new Map<string, WaitingLines>();
  let timer: NodeJS.Timeout | undefined;
  const failed = new Set<string>();

  const write = (path: string, { lines }: WaitingLines): void => {
    waiting.delete(path);
    try {
      const text = lines.map((line) => (typeof line === "string" ? line : line())).join("");
      appendLines(path, text, maxBytes);
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
      const own = waiting.get(path) ?? { lines: [], chars: 0 };
      own.lines.push(line);
      own.chars += typeof line === "string" ? line.length : UNKNOWN_CHARS;
      waiting.set(path, own);
      if (own.chars > MAX_WAITING_CHARS) write(path, own);
      else timer ??= setTimeout(writeAll, DELAY_MS).unref();
    },
    flush: writeAll,
    [Symbol.asyncDispose]: async () => writeAll(),
  };
}

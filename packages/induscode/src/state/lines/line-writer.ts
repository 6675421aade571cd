import { appendLines } from "./line-file.ts";

/** Appends lines to files in batches, so callers do not wait for writes. */
export interface LineWriter extends AsyncDisposable {
  /** Never throws. Lines are written soon, and when the writer is closed; a function makes its line only then, and must not throw. */
  append(path: string, line: string | (() => string)): void;
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
/** About as long as a line is that is not made yet. */
const UNMADE_CHARS = 512;

interface Waiting {
  readonly lines: (string | (() => string))[];
  chars: number;
}

export function openLineWriter({ maxBytes, onFailure }: LineWriterOptions): LineWriter {
  const waiting = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  const failed = new Set<string>();

  const write = (path: string, { lines }: Waiting): void => {
    waiting.delete(path);
    const text = lines.map((line) => (typeof line === "string" ? line : line())).join("");
    try {
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
      const known = waiting.get(path) ?? { lines: [], chars: 0 };
      waiting.set(path, known);
      known.lines.push(line);
      known.chars += typeof line === "string" ? line.length : UNMADE_CHARS;
      if (known.chars > MAX_WAITING_CHARS) write(path, known);
      else timer ??= setTimeout(writeAll, DELAY_MS).unref();
    },
    [Symbol.asyncDispose]: async () => writeAll(),
  };
}

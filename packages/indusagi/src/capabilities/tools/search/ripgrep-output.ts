import type { ByteText } from "./search-job.ts";

/** One line of ripgrep's answer. */
export interface RipgrepLine {
  /** As ripgrep tells it. */
  readonly path: ByteText;
  readonly line: number;
  readonly text: ByteText;
}

const NUL = 0;
const COLON = 58;
const LINE_FEED = 10;
const RETURN = 13;

/**
 * Reads ripgrep's `--null` output as it comes: path, NUL, line number, colon, text, line feed. Names with line feeds and
 * colons, and bytes that are no UTF-8, are read like any other. `onLine` answers whether to go on.
 */
export function createRipgrepReader(
  lineBytes: number,
  onLine: (line: RipgrepLine) => boolean,
): (chunk: Buffer) => boolean {
  let rest: Buffer = Buffer.alloc(0);
  let lastPath: ByteText = "";
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (;;) {
      const nul = bytes.indexOf(NUL, at);
      const colon = nul === -1 ? -1 : bytes.indexOf(COLON, nul);
      const end = colon === -1 ? -1 : bytes.indexOf(LINE_FEED, colon);
      if (end === -1) break;
      const path = bytes.latin1Slice(at, nul);
      // Thousands of hits in one file share one string.
      if (path !== lastPath) lastPath = path;
      const textEnd = bytes[end - 1] === RETURN ? end - 1 : end;
      const text = bytes.latin1Slice(colon + 1, Math.min(textEnd, colon + 1 + lineBytes));
      at = end + 1;
      if (!onLine({ path: lastPath, line: Number(bytes.latin1Slice(nul + 1, colon)), text })) return false;
    }
    rest = bytes.subarray(at);
    return true;
  };
}

/** What ripgrep said besides its answer. */
export interface RipgrepRemarks {
  readonly tooLarge: number;
  readonly unreadable: number;
  /** It did not search at all: it could not read the pattern or its arguments. */
  readonly refused: boolean;
}

/** Reads ripgrep's standard error, debug lines included, and its exit code. */
export function readRemarks(stderr: string, code: number | null): RipgrepRemarks {
  const lines = stderr.split("\n");
  const count = (expression: RegExp): number => lines.filter((line) => expression.test(line)).length;
  const unreadable = count(/^rg: (?!DEBUG\|).*\(os error \d+\)$/);
  const tooLarge = count(/^rg: DEBUG\|ignore::walk\|.*: ignoring .*: \d+ bytes$/);
  // 0 and 1 are "found" and "not found"; 2 is an error, which a folder that cannot be read also is.
  return { tooLarge, unreadable, refused: code === null || (code > 1 && unreadable === 0) };
}

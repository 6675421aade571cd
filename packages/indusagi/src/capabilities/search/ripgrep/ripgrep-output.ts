import type { ByteText } from "../search-job.ts";

/** One line of ripgrep's output. */
export interface RipgrepLine {
  /** As in ripgrep's output. */
  readonly path: ByteText;
  readonly line: number;
  readonly text: ByteText;
}

const NUL = 0;
const COLON = 58;
const LINE_FEED = 10;
const RETURN = 13;

/**
 * Parses ripgrep's `--null` output chunk by chunk: path, NUL, line number, colon, text, line feed. Paths may contain
 * line feeds, colons and invalid UTF-8. `onLine` returns whether to continue.
 */
export function createRipgrepReader(
  lineBytes: number,
  onLine: (line: RipgrepLine) => boolean,
): (chunk: Buffer) => boolean {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (;;) {
      const nul = bytes.indexOf(NUL, at);
      const colon = nul === -1 ? -1 : bytes.indexOf(COLON, nul);
      const end = colon === -1 ? -1 : bytes.indexOf(LINE_FEED, colon);
      if (end === -1) break;
      const path = bytes.toString("latin1", at, nul);
      const line = Number(bytes.toString("latin1", nul + 1, colon));
      const textEnd = bytes[end - 1] === RETURN ? end - 1 : end;
      const text = bytes.toString("latin1", colon + 1, Math.min(textEnd, colon + 1 + lineBytes));
      at = end + 1;
      if (!onLine({ path, line, text })) return false;
    }
    rest = bytes.subarray(at);
    return true;
  };
}

/** Counts of ripgrep's messages on standard error. */
export interface RipgrepCounts {
  readonly tooLarge: number;
  readonly unreadable: number;
}

const TOO_LARGE = /^rg: DEBUG\|ignore::walk\|.*: ignoring .*: \d+ bytes\n?$/s;
const UNREADABLE = /^rg: (?!DEBUG\|).*\(os error \d+\)\n?$/s;

/** Counts ripgrep's messages on standard error, debug lines included. */
export function createRemarkCounter(): { push(text: string): void; end(): RipgrepCounts } {
  let tooLarge = 0;
  let unreadable = 0;
  let rest = "";
  const count = (remark: string): void => {
    if (TOO_LARGE.test(remark)) tooLarge++;
    else if (UNREADABLE.test(remark)) unreadable++;
  };
  return {
    push(text) {
      // Not split by lines: a name may contain line feeds.
      const remarks = (rest + text).split(/\n(?=rg: )/);
      rest = remarks.pop() ?? "";
      remarks.forEach(count);
    },
    end() {
      count(rest);
      return { tooLarge, unreadable };
    },
  };
}

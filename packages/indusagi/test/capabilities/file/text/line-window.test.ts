import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { LineWindow, type LineWindowOptions } from "../../../../src/capabilities/file/text/line-window.ts";

const ROOMY = { maxBytes: 1_000_000, maxLineChars: 1000 };

/** Pushes a text through a window in the given chunks. */
function through(bytes: Uint8Array, cuts: readonly number[], options: LineWindowOptions): LineWindow {
  const window = new LineWindow(options);
  let start = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const end = Math.min(bytes.length, Math.max(start, cut));
    window.push(bytes.subarray(start, end));
    start = end;
  }
  window.push(bytes.subarray(start));
  window.finish("end of file");
  return window;
}

/** The expected lines, made by splitting the whole text. */
function naive(text: string): string[] {
  const lines = text.split("\n");
  const unended = lines.pop() ?? "";
  const ended = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  return unended === "" ? ended : [...ended, unended];
}

const text = fc
  .array(fc.constantFrom("a", "bc", "\n", "\r\n", "\r", "ä", "\u{1f600}", "\ufeff", " "), { maxLength: 60 })
  .map((parts) => parts.join(""));
const cuts = fc.array(fc.nat({ max: 120 }), { maxLength: 12 });

verifies("read:window", "a window has the same lines as splitting the whole text", () => {
  fc.assert(
    fc.property(
      text,
      cuts,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
      (content, at, offset, limit) => {
        const window = through(Buffer.from(content), at, { offset, limit, ...ROOMY });
        const all = naive(content);
        expect(window.lines).toEqual(all.slice(offset - 1, offset - 1 + limit));
        expect(window.lineCount).toBe(all.length);
        expect(window.hasInvalidBytes).toBe(false);
      },
    ),
    { numRuns: 500 },
  );
});

verifies("read:window", "the chunk boundaries make no difference, also inside a character", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      cuts,
      fc.integer({ min: 1, max: 5 }),
      (bytes, at, maxLineChars) => {
        const options = { offset: 1, limit: 50, maxBytes: 200, maxLineChars };
        const [whole, pieces] = [through(bytes, [], options), through(bytes, at, options)];
        expect(pieces.lines).toEqual(whole.lines);
        expect(pieces).toMatchObject({
          end: whole.end,
          lineCount: whole.lineCount,
          endings: whole.endings,
        });
        expect(pieces.hasInvalidBytes).toBe(whole.hasInvalidBytes);
      },
    ),
  );
});

verifies("read:long-line", "a cut line starts like the whole one and never ends inside a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      (content, maxLineChars) => {
        const line = content.replaceAll(/[\r\n]/g, " ");
        const [shown = ""] = through(Buffer.from(line), [], {
          offset: 1,
          limit: 1,
          maxBytes: 9999,
          maxLineChars,
        }).lines;
        if (line.length <= maxLineChars) {
          expect(shown).toBe(line);
          return;
        }
        const kept = shown.replace(/\.\.\. \[line cut here; it has \d+ bytes\]$/, "");
        expect(line.startsWith(kept)).toBe(true);
        expect(kept.length).toBeGreaterThanOrEqual(maxLineChars - 1);
        expect(kept.length).toBeLessThanOrEqual(maxLineChars);
        expect(Buffer.from(kept).toString()).toBe(kept);
      },
    ),
  );
});

verifies("read:window", "the byte budget holds, except for a first line that alone is too long", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 60 }), (content, maxBytes) => {
      const { lines, end } = through(Buffer.from(content), [], {
        offset: 1,
        limit: 99,
        maxBytes,
        maxLineChars: 50,
        bytesPerLine: 3,
      });
      const cost = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 3, 0);
      if (lines.length > 1) expect(cost).toBeLessThanOrEqual(maxBytes);
      if (end === "open") expect(lines).toEqual(naive(content));
    }),
  );
});

verifies(
  "read:streaming",
  "idle bytes are counted from the window on, and a line given up is marked as longer",
  () => {
    const window = new LineWindow({ offset: 3, limit: 5, ...ROOMY, maxLineChars: 4 });
    window.push(Buffer.from("long long line\n\nthird\nfour"));
    expect(window.lines).toEqual(["thir... [line cut here; it has 5 bytes]"]);
    expect(window.idleBytes).toBe(4);
    window.push(Buffer.alloc(100, "x"));
    expect(window.idleBytes).toBe(104);
    window.finish("given up");
    expect(window.lines[1]).toBe("four... [line cut here; it has more than 104 bytes]");
  },
);

verifies("read:streaming", "empty lines count as idle bytes too, and a long CRLF line is one line", () => {
  const window = new LineWindow({ offset: 1, limit: 1, ...ROOMY });
  window.push(Buffer.from(`x${"\n".repeat(500)}`));
  expect(window.idleBytes).toBe(499);
  const long = through(Buffer.from(`${"x".repeat(100)}\r\ny\r\n`), [], {
    offset: 1,
    limit: 9,
    maxBytes: 999,
    maxLineChars: 3,
  });
  expect(long.endings).toEqual({ crlf: 2, lf: 0 });
  expect(long.lines).toEqual(["xxx... [line cut here; it has 101 bytes]", "y"]);
});

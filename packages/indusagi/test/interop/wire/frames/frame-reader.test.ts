import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { FrameReader } from "../../../../src/interop/wire/frames/frame-reader.ts";

function readAll(chunks: readonly Buffer[], maxBytes = 1_000_000): { frames: string[]; oversized: number[] } {
  const frames: string[] = [];
  const oversized: number[] = [];
  const reader = new FrameReader({
    maxBytes,
    onFrame: (frame) => frames.push(frame.text()),
    onOversized: ({ bytes }) => oversized.push(bytes),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { frames, oversized };
}

/** The same bytes, cut at the given places. */
function sliced(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const lines = fc.array(
  fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).map((text) => `x${text.replaceAll("\n", " ")}`),
  { maxLength: 12 },
);
const cuts = fc.array(fc.nat(500), { maxLength: 20 });

verifies("stdio:frames", "any slicing gives the same frames as splitting the whole", () => {
  fc.assert(
    fc.property(lines, cuts, (sent, places) => {
      const bytes = Buffer.from(sent.map((line) => `${line}\n`).join(""));
      const expected = bytes.toString("utf8").split("\n").slice(0, -1);
      expect(readAll(sliced(bytes, places)).frames).toEqual(expected);
    }),
  );
});

verifies("stdio:frames", "a frame over the limit is dropped and counted, its neighbours are not", () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 40 }), cuts, (sent, maxBytes, places) => {
      const bytes = Buffer.from(sent.map((line) => `${line}\n`).join(""));
      const sizes = sent.map((line) => Buffer.byteLength(line));
      const { frames, oversized } = readAll(sliced(bytes, places), maxBytes);
      expect(frames.map((frame) => Buffer.byteLength(frame))).toEqual(
        sizes.filter((size) => size <= maxBytes),
      );
      expect(oversized).toEqual(sizes.filter((size) => size > maxBytes));
    }),
  );
});

verifies("stdio:frames", "a frame without its newline is not a frame yet", () => {
  expect(readAll([Buffer.from('{"a":1}')]).frames).toEqual([]);
});

verifies(
  "stdio:frames",
  "long frames, short ones between them, and one over the limit are told apart",
  () => {
    const MIB = 1024 * 1024;
    const long = "é漢😀\u0301".repeat(140_000);
    const dropped = `{"id":7,"result":"${"x".repeat(3 * MIB)}"}`;
    const sent = [long, "short", `\ufeff${long}`, dropped, "last"];
    const frames: string[] = [];
    const oversized: unknown[] = [];
    const reader = new FrameReader({
      maxBytes: 2 * MIB,
      onFrame: (frame) => frames.push(frame.text()),
      onOversized: (frame) => oversized.push(frame),
    });
    const bytes = Buffer.from(`${sent.join("\n")}\n`);
    for (let at = 0; at < bytes.length; at += 65_537) reader.push(bytes.subarray(at, at + 65_537));
    expect(frames.map((frame) => frame === long || frame)).toEqual([true, "short", true, "last"]);
    expect(oversized).toEqual([{ bytes: dropped.length, id: 7, isAnswer: true }]);
    expect(readAll([Buffer.from(`${long}\n`)], Number.POSITIVE_INFINITY).frames).toEqual([long]);
  },
);

verifies(
  "stdio:frames",
  "chunks inside a long line are freed if the reader owns them, and the line is the same",
  () => {
    const MIB = 1024 * 1024;
    const sizes = fc.array(fc.integer({ min: 4096, max: MIB }), { minLength: 1, maxLength: 8 });
    const sent = ["before", "x".repeat(6 * MIB), "after"];
    const bytes = Buffer.from(sent.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 7 * MIB }), (slices, maxBytes) => {
        let kept = 0;
        const frames: string[] = [];
        const reader = new FrameReader({
          maxBytes,
          onFrame: (frame) => frames.push(frame.text()),
          onOversized: () => {},
          ownsChunks: true,
        });
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const end = Math.min(bytes.length, at + (slices[turn % slices.length] ?? 1));
          const chunk = Buffer.allocUnsafeSlow(end - at);
          bytes.copy(chunk, 0, at, end);
          const isInside = !chunk.includes("\n") && at + chunk.length > 5 * MIB;
          reader.push(chunk);
          if (isInside && chunk.length > 0) kept += 1;
          at = end;
        }
        expect(kept).toBe(0);
        expect(frames.map((frame) => frame.length)).toEqual(
          sent.map((line) => line.length).filter((length) => length <= maxBytes),
        );
        expect(frames.every((frame) => sent.includes(frame))).toBe(true);
      }),
      { numRuns: 30 },
    );
  },
);

verifies(
  "stdio:frames",
  "chunks that are parts of a larger block, or belong to others, keep their bytes",
  () => {
    const block = Buffer.alloc(8 * 1024 * 1024, "x");
    for (const [chunk, ownsChunks] of [
      [block.subarray(1), true],
      [block, false],
    ] as const) {
      const reader = new FrameReader({
        maxBytes: 8 * 1024 * 1024,
        onFrame: () => {},
        onOversized: () => {},
        ownsChunks,
      });
      reader.push(chunk);
      expect(chunk.length).toBeGreaterThan(4_000_000);
    }
  },
);

import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { createEndsBuffer, keptText } from "../../../../src/capabilities/local/shell/both-ends.ts";
import { wholeCharactersEnd, wholeCharactersStart } from "../../../../src/core/internal.ts";

/** A replacement character in the result shows a broken character, so the text itself must have none. */
const text = fc.string({ unit: "grapheme", maxLength: 60 }).filter((said) => !said.includes("\ufffd"));

verifies(
  "shell:bounded",
  "the buffer keeps exactly the first and the last half, whatever the chunks are",
  () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
    fc.assert(
      fc.property(chunks, fc.integer({ min: 0, max: 64 }), (pushed, maxBytes) => {
        const ends = createEndsBuffer(maxBytes);
        for (const chunk of pushed) ends.push(chunk);
        const all = Buffer.concat(pushed);
        const headLength = Math.min(all.length, Math.ceil(maxBytes / 2));
        const tailLength = Math.min(all.length - headLength, Math.floor(maxBytes / 2));
        expect(ends.total).toBe(all.length);
        expect(ends.head()).toEqual(all.subarray(0, headLength));
        expect(ends.tail()).toEqual(all.subarray(all.length - tailLength));
      }),
      { numRuns: 500 },
    );
  },
);

verifies("shell:utf8", "a cut never splits a character, and the omitted bytes are counted exactly", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 64 }), (said, maxBytes) => {
      const ends = createEndsBuffer(maxBytes);
      ends.push(Buffer.from(said));
      const kept = keptText(ends);
      expect(kept.text).not.toContain("\ufffd");
      const shown = kept.text.replace(/\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n/, "");
      expect(Buffer.byteLength(shown) + kept.omittedBytes).toBe(Buffer.byteLength(said));
      if (kept.omittedBytes === 0) expect(kept.text).toBe(said);
    }),
    { numRuns: 500 },
  );
});

verifies("shell:utf8", "edges are found in UTF-8 text, and other bytes are kept", () => {
  fc.assert(
    fc.property(text, fc.nat(), (said, cut) => {
      const bytes = Buffer.from(said);
      const at = bytes.length === 0 ? 0 : cut % bytes.length;
      const [left, right] = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(left.subarray(0, wholeCharactersEnd(left)).toString()).not.toContain("\ufffd");
      expect(right.subarray(wholeCharactersStart(right)).toString()).not.toContain("\ufffd");
      expect(left.length - wholeCharactersEnd(left)).toBeLessThan(4);
      expect(wholeCharactersStart(right)).toBeLessThan(4);
    }),
  );
  expect(wholeCharactersStart(Buffer.alloc(8, 0x80))).toBe(0);
  expect(wholeCharactersEnd(Buffer.alloc(8, 0x80))).toBe(8);
});

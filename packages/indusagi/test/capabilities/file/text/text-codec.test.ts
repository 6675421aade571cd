import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { keepStyle } from "../../../../src/capabilities/file/run-write.ts";
import { decodeFileText, detectContent } from "../../../../src/capabilities/file/text/text-codec.ts";

const BOMS = [[], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff], [0xff, 0xfe, 0, 0]];
/** Any bytes, often with a byte order mark, often UTF-16 or UTF-8 text, sometimes corrupt. */
const bytes = fc
  .tuple(
    fc.constantFrom(...BOMS),
    fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc.string({ maxLength: 40 }).map((text) => Buffer.from(text)),
      fc.string({ maxLength: 40 }).map((text) => Buffer.from(text, "utf16le")),
      fc.string({ maxLength: 40 }).map((text) => Buffer.from(text, "utf16le").swap16()),
    ),
  )
  .map(([mark, body]) => Buffer.concat([Buffer.from(mark), body]));

verifies("edit:untouched-bytes", "decoding and encoding any bytes gives the same bytes", () => {
  fc.assert(
    fc.property(bytes, (content) => {
      const decoded = decodeFileText(content);
      expect(Buffer.from(decoded.encode(decoded.text))).toEqual(content);
    }),
    { numRuns: 1000 },
  );
});

verifies("edit:untouched-bytes", "a view into a larger buffer is decoded correctly", () => {
  fc.assert(
    fc.property(bytes, fc.nat({ max: 9 }), (content, before) => {
      const view = new Uint8Array(
        Buffer.concat([Buffer.alloc(before, 7), content, Buffer.alloc(3, 7)]),
      ).subarray(before, before + content.length);
      expect(decodeFileText(view).text).toBe(decodeFileText(content).text);
      expect(detectContent(view)).toEqual(detectContent(content));
    }),
  );
});

verifies("edit:untouched-bytes", "show is the inverse of spell for well-formed text", () => {
  fc.assert(
    fc.property(bytes, fc.string({ unit: "grapheme" }), (content, words) => {
      const { spell, show } = decodeFileText(content);
      expect(show(spell(words))).toBe(words);
    }),
  );
});

verifies("read:binary", "every sample has exactly one kind, and plain words are always text", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (sample) => {
      expect(["text", "image", "binary"]).toContain(detectContent(sample).kind);
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~\n\t]{0,60}$/), (words) => {
      fc.pre(!words.startsWith("%PDF-"));
      expect(detectContent(Buffer.from(words))).toEqual({ kind: "text", encoding: "utf-8" });
    }),
  );
});

verifies("read:binary", "16-bit numbers are not detected as UTF-16, and UTF-32 is named", () => {
  expect(detectContent(Buffer.from(Uint16Array.from({ length: 50 }, (_, index) => index).buffer)).kind).toBe(
    "binary",
  );
  expect(detectContent(Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]))).toEqual({
    kind: "binary",
    looksLike: "UTF-32 text",
  });
  expect(detectContent(Buffer.from([0x61, 0, 0x62, 0])).kind).toBe("binary");
});

const ending = fc.constantFrom("\n", "\r\n", "\r");
const words = fc.array(fc.stringMatching(/^[a-zäö ]{0,6}$/), { minLength: 1, maxLength: 8 });

verifies(
  "write:keeps-style",
  "new lines get the ending that all old lines have, and nothing else changes",
  () => {
    fc.assert(
      fc.property(words, words, ending, fc.constantFrom(false, true), (old, next, eol, bom) => {
        const previous = Buffer.from(`${bom ? "\ufeff" : ""}x${eol}${old.join(eol)}`);
        const written = Buffer.from(keepStyle(previous, next.join("\n")).bytes).toString();
        expect(written).toBe(`${bom ? "\ufeff" : ""}${next.join(eol)}`);
      }),
    );
  },
);

verifies(
  "write:keeps-style",
  "content with its own carriage returns, or in place of mixed endings, is written unchanged",
  () => {
    fc.assert(
      fc.property(fc.string(), words, (content, old) => {
        const mixed = keepStyle(Buffer.from(`a\r\nb\n${old.join("\n")}`), content);
        expect(Buffer.from(mixed.bytes)).toEqual(Buffer.from(content));
        expect(mixed.kept).toEqual([]);
        const own = keepStyle(Buffer.from("a\r\nb\r\n"), `${content}\r`);
        expect(Buffer.from(own.bytes)).toEqual(Buffer.from(`${content}\r`));
        expect(own.kept).toEqual([]);
      }),
    );
  },
);

verifies("write:keeps-style", "writing a file's own text gives the same bytes", () => {
  fc.assert(
    fc.property(bytes, (content) => {
      const decoded = decodeFileText(content);
      fc.pre(decoded.encoding !== "bytes" && !/[\r\ufeff]/.test(decoded.text));
      expect(Buffer.from(keepStyle(content, decoded.text).bytes)).toEqual(content);
    }),
  );
});

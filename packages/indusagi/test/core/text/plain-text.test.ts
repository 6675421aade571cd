import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { plainText } from "indusagi/core";
import { expect } from "vitest";

const table: readonly (readonly [string, string])[] = [
  ["plain ✓\ttext\r\n", "plain ✓\ttext\r\n"],
  ["\x1b[31mred\x1b[0m \x1b[1;38;5;200mbold\x1b[m", "red bold"],
  ["\x9b2Jcleared", "cleared"],
  ["\x1b]0;a title\x07after \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "after link"],
  ["\x1bPdevice\x1b\\x \x1b(Bcharset \x1b7saved", "x charset saved"],
  ["\x1b]never ended\nnext line", "\nnext line"],
  ["\x1b\x1b[31m[31mnested", "[31mnested"],
  ["nul\0bell\x07back\x08del\x7fesc\x1b", "nulbellbackdelesc"],
];

verifies("bash:plain", "escape sequences are removed, text and line ends stay", () => {
  for (const [raw, plain] of table) expect(plainText(raw)).toBe(plain);
});

verifies("bash:plain", "it is idempotent and leaves no control character, for any input", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "\x1b",
      "\x1b[",
      "\x9b",
      "\x1b]",
      "\x07",
      "\x1b\\",
      "31m",
      "\n",
      "\t",
      "\0",
      ";",
      "P",
      "\x90",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const plain = plainText(pieces.join(""));
      expect(plainText(plain)).toBe(plain);
      expect(plain).not.toMatch(/(?![\t\n\r])\p{Cc}/u);
    }),
    { numRuns: 100 },
  );
});

import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { TextCleaner } from "../../../../src/front/repl/view/tool-output.ts";

function cleaned(...pieces: readonly string[]): string {
  const cleaner = new TextCleaner();
  return pieces.map((piece) => cleaner.push(piece)).join("") + cleaner.end();
}

verifies(
  "repl:answer-text",
  "control characters are shown, and joined pictures stand beside each other",
  () => {
    expect(cleaned("a\tb\r\nc\u001b[2J\u202e")).toBe("a    b\nc\\x1b[2J\\u{202e}");
    expect(cleaned("👩🏽\u200d💻 🏳️\u200d🌈 👨\u200d👩\u200d👧")).toBe("👩🏽💻 🏳️🌈 👨👩👧");
    // Anywhere else the character is invisible and may hide something.
    expect(cleaned("pay\u200dpal 👍\u200dx")).toBe("pay\\u{200d}pal 👍\\u{200d}x");
  },
);

const UNITS = ["a", "\r", "\n", "\u001b", "👩", "🏽", "\u200d", "💻", "\ufe0f", "日"];

verifies("repl:answer-text", "however a text is cut, it looks the same", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...UNITS), { maxLength: 20 }),
      fc.array(fc.nat(4)),
      (units, sizes) => {
        const text = units.join("");
        let at = 0;
        const pieces = sizes.map((size) => text.slice(at, (at += size)));
        expect(cleaned(...pieces, text.slice(at))).toBe(cleaned(text));
      },
    ),
  );
});

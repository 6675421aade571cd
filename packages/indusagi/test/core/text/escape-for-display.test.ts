import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { escapeForDisplay, showName } from "../../../src/core/index.ts";

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{e0000}-\u{e0fff}]/u;
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0xe0000, max: 0xe0fff }),
      fc.integer({ min: 0, max: 0x10ffff }),
    ),
  )
  .map((points) => String.fromCodePoint(...points));

verifies(
  "display:no-unseen",
  "characters that move the cursor, reverse the text or are invisible are escaped",
  () => {
    const shown: readonly (readonly [string, string])[] = [
      ["plain text, \ttabs and é 漢字 😀", "plain text, \ttabs and é 漢字 😀"],
      ["\x1b[31mred\x07", "\\x1b[31mred\\x07"],
      ["a\nb\r", "a\\x0ab\\x0d"],
      ["\x7f\x9b", "\\x7f\\x9b"],
      ["user\u202egpj.exe", "user\\u{202e}gpj.exe"],
      ["a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"],
      ["\u2028\u2066", "\\u{2028}\\u{2066}"],
      ["\u{e0041}", "\\u{e0041}"],
      ["\ud800 and \udc00", "\\u{d800} and \\u{dc00}"],
      ["C:\\new", "C:\\new"],
    ];
    for (const [text, escaped] of shown) expect(escapeForDisplay(text)).toBe(escaped);
    expect(escapeForDisplay("a\nb\r\n", { keepNewlines: true })).toBe("a\nb\\x0d\n");
  },
);

verifies(
  "display:no-unseen",
  "no invisible character is left in any text, and escaping twice changes nothing",
  () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeForDisplay(text);
        expect(unseen.test(escaped.replaceAll("\t", ""))).toBe(false);
        expect(escapeForDisplay(escaped)).toBe(escaped);
      }),
    );
  },
);

verifies("screen:names", "a name has at most 128 characters, and a valid one is not changed", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(showName(text).length).toBeLessThanOrEqual(128);
      expect(showName(text).replaceAll("\t", "")).not.toMatch(unseen);
    }),
  );
  expect(showName("n".repeat(128))).toBe("n".repeat(128));
  expect(showName("n".repeat(10_000))).toBe(`${"n".repeat(127)}…`);
});

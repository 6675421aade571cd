import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { cutText, shortenText, textTable } from "indusagi/core";
import { expect } from "vitest";
import { textEnd } from "../../../src/core/internal.ts";

verifies("core:cut-text", "a cut text is a beginning of the text, fits, and splits no surrogate pair", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat({ max: 20 }), (text, length) => {
      const cut = cutText(text, length);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(length);
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length - 1));
      expect(/[\ud800-\udbff]$/.test(cut)).toBe(false);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat({ max: 20 }), (text, length) => {
      const end = textEnd(text, length);
      expect(text.endsWith(end)).toBe(true);
      expect(end.length).toBeLessThanOrEqual(length);
      expect(end.length).toBeGreaterThanOrEqual(Math.min(text.length, length - 1));
      expect(/^[\udc00-\udfff]/.test(end)).toBe(false);
    }),
  );
  expect(textEnd("😀a", 2)).toBe("a");
  expect(cutText("a😀", 2)).toBe("a");
  expect(cutText("a😀", 3)).toBe("a😀");
});

verifies("core:cut-text", "a shortened text ends with an ellipsis and is no longer than asked for", () => {
  expect(shortenText("abc", 3)).toBe("abc");
  expect(shortenText("abcd", 3)).toBe("ab…");
  expect(shortenText("a😀b", 3)).toBe("a…");
  expect(shortenText("abcd", 0)).toBe("…");
});

verifies("core:text-table", "columns are aligned, and the last one is not padded", () => {
  expect(
    textTable([
      ["ID", "STATE", "NOTE"],
      ["longer", "up", ""],
      ["x", "starting", "a note"],
    ]),
  ).toBe("ID      STATE     NOTE\nlonger  up        \nx       starting  a note");
  expect(textTable([])).toBe("");
});

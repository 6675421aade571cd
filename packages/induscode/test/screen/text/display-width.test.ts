import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { displayWidth, fitWidth } from "../../../src/screen/internal.ts";

verifies("screen:width", "wide characters take two columns, marks and codes of colours none", () => {
  expect(displayWidth("plain")).toBe(5);
  expect(displayWidth("\u001b[1mbold\u001b[22m")).toBe(4);
  expect(displayWidth("日本語")).toBe(6);
  expect(displayWidth("e\u0301")).toBe(1);
  expect(displayWidth("한글 ok")).toBe(7);
  expect(displayWidth("👍")).toBe(2);
  expect(displayWidth("🇩🇪")).toBe(2);
});

verifies("screen:width", "a text that was cut fits", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
      const fitted = fitWidth(text, columns);
      expect(displayWidth(fitted)).toBeLessThanOrEqual(Math.max(columns, 1));
      if (displayWidth(text) <= columns) expect(fitted).toBe(text);
    }),
  );
});

import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { displayWidth, foldLine } from "../../../src/screen/internal.ts";

verifies("screen:fold", "a line is broken between words, and a list item stays indented", () => {
  expect(foldLine("one two three four five six", 20)).toEqual(["one two three four", "five six"]);
  expect(foldLine("• one two three four five six", 20)).toEqual(["• one two three four", "  five six"]);
  expect(foldLine("│ one two three four five six", 20)).toEqual(["│ one two three four", "│ five six"]);
  expect(foldLine("x".repeat(45), 20)).toEqual(["x".repeat(20), "x".repeat(20), "x".repeat(5)]);
  expect(foldLine("\u001b[1mone two three\u001b[22m four five", 20)).toEqual([
    "\u001b[1mone two three\u001b[22m four",
    "five",
  ]);
  expect(foldLine("\u001b[2m    code of some words\u001b[22m", 20)).toEqual([
    "\u001b[2m    code of some",
    "    words\u001b[22m",
  ]);
});

verifies("screen:fold", "no line is wider than asked, and no word is lost", () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "日", "-", "1"), maxLength: 30 }));
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 60 }), (parts, width) => {
      const text = parts.filter((word) => word !== "").join(" ");
      const lines = foldLine(text, width);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }),
  );
});

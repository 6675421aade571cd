import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { markdownStream, renderMarkdown } from "../../../src/screen/index.ts";

const LINES = [
  "text",
  "# head",
  "- item",
  "```js",
  "```",
  "~~~",
  "| a | b |",
  "|---|---|",
  "a | b",
  "",
  "> said",
  "***",
];

/** A text cut into pieces anywhere. */
const cutTexts = fc
  .tuple(fc.array(fc.constantFrom(...LINES), { maxLength: 12 }), fc.array(fc.nat(5), { maxLength: 40 }))
  .map(([lines, sizes]) => {
    const text = lines.join("\n");
    const pieces: string[] = [];
    let at = 0;
    for (const size of sizes) {
      pieces.push(text.slice(at, at + size));
      at += size;
    }
    return { text, pieces: [...pieces, text.slice(at)] };
  });

verifies("screen:markdown-stream", "however a text is cut, its lines are those of the whole text", () => {
  fc.assert(
    fc.property(cutTexts, fc.boolean(), ({ text, pieces }, hasColours) => {
      const stream = markdownStream({ hasColours });
      const shown = [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()];
      expect(shown.join("\n")).toBe(renderMarkdown(text, { hasColours }));
    }),
  );
});

verifies(
  "screen:markdown-stream",
  "a complete line is shown at once, and a table when it is complete",
  () => {
    const stream = markdownStream({});
    expect(stream.push("some **bold** te")).toEqual([]);
    expect(stream.rest()).toBe("some **bold** te");
    expect(stream.push("xt\n```\nco")).toEqual(["some bold text"]);
    expect(stream.push("de\n```\n| a | b |\n")).toEqual(["    code"]);
    expect(stream.push("|---|---|\n| one | 2 |\n")).toEqual([]);
    expect(stream.rest()).toContain("| one | 2 |");
    expect(stream.push("after\n")).toEqual(["a    b", "one  2", "after"]);
  },
);

import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { fitContent, type MCPContentBlock } from "indusagi/mcp";
import { expect } from "vitest";
import { BLOCKS } from "../../../../../test/servers/server.mjs";

const text = (words: string): MCPContentBlock => ({ type: "text", text: words });
const wordsOf = (block: MCPContentBlock | undefined): string => (block?.type === "text" ? block.text : "");

verifies("mcp-fit:budget", "an answer that fits is returned as the same array", () => {
  const blocks = BLOCKS.content as unknown as MCPContentBlock[];
  expect(fitContent(blocks)).toBe(blocks);
  const long = [text("x".repeat(64 * 1024))];
  expect(fitContent(long)).toBe(long);
});

verifies("mcp-fit:budget", "a long text keeps both ends and states how much is missing", () => {
  const [cut] = fitContent([text(`${"a".repeat(100)}${"b".repeat(100)}`)], { maxBytes: 20 });
  expect(wordsOf(cut)).toBe(`${"a".repeat(10)}\n[... 180 bytes omitted ...]\n${"b".repeat(10)}`);
});

verifies(
  "mcp-fit:budget",
  "small texts stay whole, large ones share the rest, and other blocks keep their position",
  () => {
    const image: MCPContentBlock = { type: "image", data: "A".repeat(500_000), mimeType: "image/png" };
    const embedded: MCPContentBlock = {
      type: "resource",
      resource: { uri: "file:///x", text: "q".repeat(1_000) },
    };
    const fitted = fitContent([text("small"), image, text("x".repeat(1_000)), embedded], { maxBytes: 205 });
    expect(wordsOf(fitted[0])).toBe("small");
    expect(fitted[1]).toBe(image);
    expect(wordsOf(fitted[2]).match(/x/g)).toHaveLength(100);
    expect(fitted[3]).toMatchObject({ type: "resource", resource: { uri: "file:///x" } });
    expect(JSON.stringify(fitted[3]).match(/q/g)).toHaveLength(100);
  },
);

verifies(
  "mcp-fit:budget",
  "texts without their notices stay within the budget, and no character is split",
  () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀"), maxLength: 60 }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 0, max: 200 }), (texts, maxBytes) => {
        const fitted = fitContent(texts.map(text), { maxBytes }).map(wordsOf);
        const kept = fitted.map((one) => one.replace(/\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n/, ""));
        expect(kept.reduce((sum, one) => sum + Buffer.byteLength(one), 0)).toBeLessThanOrEqual(maxBytes);
        expect(fitted.join("")).not.toContain("\ufffd");
        expect(fitted).toHaveLength(texts.length);
        if (Buffer.byteLength(texts.join("")) <= maxBytes) expect(fitted).toEqual(texts);
      }),
    );
  },
);

verifies("mcp-fit:preview", "a preview has four lines and 500 characters, and marks a cut", () => {
  const preview = (words: string): string => wordsOf(fitContent([text(words)], { preview: true })[0]);
  expect(preview("a\nb\nc\nd")).toBe("a\nb\nc\nd");
  expect(preview("a\nb\nc\nd\ne")).toBe("a\nb\nc\nd…");
  expect(preview("x".repeat(500))).toBe("x".repeat(500));
  expect(preview("x".repeat(501))).toBe(`${"x".repeat(499)}…`);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "\n", "😀"), maxLength: 700 }), (words) => {
      const shown = preview(words);
      expect(shown.split("\n").length).toBeLessThanOrEqual(4);
      expect(shown.length).toBeLessThanOrEqual(500);
      expect(shown).not.toMatch(/\p{Surrogate}/u);
      expect(words.startsWith(shown.replace(/…$/, ""))).toBe(true);
    }),
  );
  expect(wordsOf(fitContent([text("abc\ndef")], { preview: { lines: 1, characters: 10 } })[0])).toBe("abc…");
});

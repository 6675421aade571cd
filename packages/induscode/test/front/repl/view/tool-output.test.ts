import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { toolOutput } from "../../../../src/front/repl/view/tool-output.ts";
import { displayWidth, stripColours } from "../../../../src/screen/text/display-width.ts";

const text = (all: string) => [{ kind: "text", text: all }] as const;
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");

verifies("repl:output", "the first lines of an output are shown, with the number of the others", () => {
  const look = { width: 40 };
  expect(toolOutput(text(`\n\n${numbered(20)}\n`), look).preview).toEqual([
    "  line 1",
    "  line 2",
    "  line 3",
    "  line 4",
    "  … 16 more lines (Ctrl-O shows all)",
  ]);
  // One more line takes no more room than saying so.
  const short = toolOutput(text(numbered(5)), look);
  expect([short.preview.length, short.isCut]).toEqual([5, false]);
  expect(toolOutput(text(" \n"), look)).toMatchObject({ preview: [], isCut: false });
  const wide = toolOutput(text("語".repeat(30)), look);
  expect(wide.preview).toEqual([`  ${"語".repeat(18)}…`, "  … (Ctrl-O shows all)"]);
  expect(wide.whole()).toEqual([`  ${"語".repeat(18)}`, `  ${"語".repeat(12)}`]);
  // Data is only named, a change is shown as a diff.
  const image = {
    kind: "json",
    mcp: true,
    value: { type: "image", data: "aGk=", mimeType: "image/png" },
  } as const;
  const diff = "--- a\n+++ a\n@@ -9,2 +9,2 @@\n same\n-old\n+new\n";
  const change = { kind: "json", value: { path: "a", diff } } as const;
  expect(toolOutput([image, change], look).preview).toEqual([
    "  image/png, 2 bytes: not shown",
    "   9  same",
    "  10 -old",
    "  10 +new",
  ]);
});

verifies("repl:output", "whatever a tool answers, the screen shows all of it on lines that fit", () => {
  const piece = fc.constantFrom(
    "word ",
    "語",
    "\u001b[2J",
    "\r\n",
    "\n",
    "\t",
    "\u202e",
    "👩‍👧",
    "x".repeat(30),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 20, max: 120 }), (pieces, width) => {
      const output = toolOutput(text(pieces.join("")), { width });
      for (const line of [...output.preview, ...output.whole()]) {
        expect(displayWidth(line)).toBeLessThan(width);
        // oxlint-disable-next-line no-control-regex
        expect(stripColours(line)).not.toMatch(/[\u0000-\u001f\u202e]/);
      }
      expect(output.preview.length).toBeLessThanOrEqual(6);
      const words = (lines: readonly string[]): string => lines.join("").replaceAll(/\s/g, "");
      if (!output.isCut) expect(words(output.whole())).toBe(words(output.preview));
    }),
  );
});

import { verifies } from "@indus/testkit";
import { applyPatch, parsePatch } from "diff";
import fc from "fast-check";
import { expect } from "vitest";
import { applyChanges, type Change } from "../../../src/capabilities/edit/plan-edit.ts";
import { closestText } from "../../../src/capabilities/edit/run-edit.ts";
import { unifiedDiff } from "../../../src/capabilities/edit/unified-diff.ts";

const show = (piece: string): string => piece;
const word = fc.constantFrom("a", "b", "cc", "", " ", "-x", "+y", "@@ z", "\\");
const text = fc
  .array(fc.tuple(word, fc.constantFrom("\n", "\n", "\r\n")), { maxLength: 40 })
  .map((lines) => lines.flat().join(""));

/** A text and some changes, in order. */
const edited: fc.Arbitrary<{ readonly text: string; readonly changes: Change[] }> = fc
  .tuple(
    fc.oneof(
      text,
      text.map((content) => `${content}last`),
    ),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 6 }), word), { minLength: 1, maxLength: 4 }),
  )
  .map(([content, picks]) => {
    const changes: Change[] = [];
    let from = 0;
    for (const [place, length, replacement] of picks.sort(
      ([a], [b]) => (a % (content.length + 1)) - (b % (content.length + 1)),
    )) {
      const start = Math.max(from, place % (content.length + 1));
      const end = Math.min(content.length, start + length);
      changes.push({ start, end, replacement: `${replacement}\n` });
      from = end;
    }
    return { text: content, changes };
  });

verifies("edit:diff", "applying a diff to the old text gives the new text", async () => {
  await fc.assert(
    fc.asyncProperty(edited, async ({ text: before, changes }) => {
      const after = applyChanges(before, changes);
      const diff = await unifiedDiff({ path: "f", text: before, changes, show });
      expect(applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(after);
    }),
    { numRuns: 300 },
  );
});

verifies("edit:diff", "every hunk has at most three lines of context on each side", async () => {
  await fc.assert(
    fc.asyncProperty(edited, async ({ text: before, changes }) => {
      const [patch] = parsePatch(await unifiedDiff({ path: "f", text: before, changes, show }));
      for (const { lines } of patch?.hunks ?? []) {
        const marks = lines
          .filter((line) => !line.startsWith("\\"))
          .map((line) => line[0])
          .join("");
        expect(marks).toMatch(/^ {0,3}[-+].*[-+] {0,3}$|^ {0,3}[-+] {0,3}$/s);
      }
    }),
    { numRuns: 100 },
  );
});

verifies("edit:diff", "a change too large to compare is reported as such at once", async () => {
  const before = Array.from({ length: 40_000 }, (_, index) => `old line ${index}\n`).join("");
  const replacement = before.replaceAll("old", "new");
  const started = performance.now();
  const diff = await unifiedDiff({
    path: "f",
    text: before,
    changes: [{ start: 0, end: before.length, replacement }],
    show,
  });
  expect(diff).toBe("(the change to f is too large to show as a diff)");
  expect(performance.now() - started).toBeLessThan(15_000);
});

verifies(
  "edit:not-found",
  "the closest text is an existing line, with the line number that read shows",
  async () => {
    const lines = fc.array(fc.stringMatching(/^[a-f ]{0,12}$/), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lines, lines, fc.constantFrom("\n", "\r\n"), async (content, wanted, ending) => {
        const closest = await closestText(content.join(ending), wanted.join("\n"));
        if (!closest) return;
        expect(
          content
            .slice(closest.line - 1)
            .join("\n")
            .startsWith(closest.text),
        ).toBe(true);
      }),
    );
    expect(await closestText("alpha\n  return total;\nomega", "return totals;")).toEqual({
      line: 2,
      text: "  return total;",
    });
  },
);

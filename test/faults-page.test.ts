import fc from "fast-check";
import { expect, test } from "vitest";
import { mergePages, readPage, writePage } from "./faults/faults-page.ts";

const cell = fc.string({ minLength: 1 }).map((text) => `x${text.replaceAll(/[\n\r\\]/g, " ").trim()}x`);
const pages = fc.record({
  facts: fc.constant(["2026-07-28, somewhere: fine."]),
  figures: fc.uniqueArray(fc.record({ what: cell, size: cell, found: cell }), {
    selector: ({ what }) => what,
  }),
  cases: fc.uniqueArray(fc.record({ name: cell, outcome: cell, seconds: cell }), {
    selector: ({ name }) => name,
  }),
});

test("a page reads back as it was written", () => {
  fc.assert(
    fc.property(pages, (page) => {
      expect(readPage(writePage(page))).toEqual(page);
    }),
  );
});

test("a case that ran again replaces its old row, and no other row is lost", () => {
  fc.assert(
    fc.property(pages, pages, (page, again) => {
      const merged = mergePages(page, again);
      for (const each of again.cases) expect(merged.cases).toContainEqual(each);
      const names = new Set([...page.cases, ...again.cases].map(({ name }) => name));
      expect(merged.cases.length).toBe(names.size);
      for (const each of again.figures) expect(merged.figures).toContainEqual(each);
    }),
  );
});

import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import {
  createEndingFinder,
  uniformLineEnding,
  withLineEnding,
  withOnlyEnding,
} from "../../../../src/capabilities/file/text/line-endings.ts";

const text = fc
  .array(fc.constantFrom("a", "b ", "\n", "\r\n", "\r"), { maxLength: 30 })
  .map((parts) => parts.join(""));
const endings = (content: string): string[] => content.match(/\r\n|\n|\r/g) ?? [];

verifies(
  "edit:line-endings",
  "the ending at an index is that of its own line, else of the last line that has one",
  () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 60 }), { maxLength: 8 }), (content, places) => {
        const finder = createEndingFinder(content);
        for (const place of places) {
          const index = Math.min(place, content.length);
          const ahead = endings(content.slice(index))[0];
          // For an index inside a CRLF the finder sees only the line feed.
          expect(finder(index)).toBe(ahead ?? endings(content).at(-1));
        }
      }),
    );
  },
);

verifies("edit:line-endings", "with a given ending every line has it, and the text stays", () => {
  fc.assert(
    fc.property(text, fc.constantFrom("\n" as const, "\r\n" as const, "\r" as const), (content, ending) => {
      const changed = withOnlyEnding(content, ending);
      expect(new Set(endings(changed)).size).toBeLessThanOrEqual(1);
      expect(endings(changed)).toHaveLength(endings(content).length);
      expect(changed.split(/\r\n|\n|\r/)).toEqual(content.split(/\r\n|\n|\r/));
      if (endings(content).length > 0) expect(uniformLineEnding(changed)).toBe(ending);
      expect(withLineEnding(content, ending)).toBe(content.includes("\r") ? content : changed);
      expect(withOnlyEnding(content, undefined)).toBe(content);
    }),
  );
});

import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { showTable } from "../../../src/screen/index.ts";
import { showStatuses } from "../../../src/servers/doctor/index.ts";

const ROWS = [
  ["NAME", "NOTE"],
  ["one", "a note that is longer than the width"],
  ["two", "-"],
];

verifies("command:wrapped-notes", "the last column is wrapped to the width, and not without one", () => {
  expect(showTable(ROWS, { width: 26 })).toBe(
    "NAME  NOTE\none   a note that is\n      longer than the\n      width\ntwo   -\n",
  );
  expect(showTable(ROWS, {})).toBe("NAME  NOTE\none   a note that is longer than the width\ntwo   -\n");
  // Too narrow for a column: the note is on lines of its own.
  expect(showTable(ROWS, { width: 20 })).toBe(
    "NAME\none\n    a note that is\n    longer than the\n    width\ntwo\n",
  );
});

verifies("command:wrapped-notes", "no line is longer than the width, whatever the cells", () => {
  const cell = fc.string({ unit: "grapheme-ascii", maxLength: 40 });
  const rows = fc.array(fc.tuple(cell, cell, cell, cell), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(rows, fc.integer({ min: 40, max: 120 }), (table, width) => {
      const lines = showTable(table, { width }).split("\n");
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
    }),
  );
});

verifies("command:colours", "states have colours, and the columns stay aligned", () => {
  const statuses = [
    { server: "a", phase: "ready", toolCount: 3 },
    { server: "long-name", phase: "faulted", toolCount: 0, summary: "it is broken; correct it" },
  ] as const;
  const plain = showStatuses(statuses);
  const coloured = showStatuses(statuses, { hasColours: true });
  expect(coloured).toContain("\u001b[32mready\u001b[39m");
  expect(coloured).toContain("\u001b[31mfailed\u001b[39m");
  // oxlint-disable-next-line no-control-regex -- the codes are what is removed
  expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain);
});

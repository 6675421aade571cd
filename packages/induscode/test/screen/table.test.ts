import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { showStatuses } from "../../src/screen/status.ts";
import { showTable } from "../../src/screen/table.ts";

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
  // Too narrow to wrap.
  expect(showTable(ROWS, { width: 20 })).toBe(showTable(ROWS, {}));
});

verifies("command:colours", "states have colours, and the columns stay aligned", () => {
  const statuses = [
    { server: "a", phase: "ready", toolCount: 3 },
    { server: "long-name", phase: "faulted", toolCount: 0, summary: "it is broken; correct it" },
  ] as const;
  const plain = showStatuses(statuses);
  const coloured = showStatuses(statuses, { hasColours: true });
  expect(coloured).toContain("\u001b[32mready\u001b[39m");
  expect(coloured).toContain("\u001b[31mfaulted\u001b[39m");
  // oxlint-disable-next-line no-control-regex -- the codes are what is removed
  expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain);
});

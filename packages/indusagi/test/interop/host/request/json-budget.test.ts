import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import {
  impliesBudget,
  jsonTextProblem,
  jsonValueProblem,
} from "../../../../src/interop/host/request/json-budget.ts";

const budgets = fc.record({ depth: fc.nat(6), elements: fc.nat(40) });
const values = fc.jsonValue({ maxDepth: 8, noUnicodeString: false });

verifies("host-threats:json-budget", "a text and its parsed value are within the same budgets", () => {
  fc.assert(
    fc.property(values, budgets, fc.constantFrom(undefined, 2, "\t"), (value, budget, space) => {
      const text = Buffer.from(JSON.stringify(value, null, space));
      // Compares what is read back: for values such as `-0` it differs from what was written.
      const read = JSON.parse(text.toString("utf8")) as unknown;
      const inText = jsonTextProblem(text, budget) === undefined;
      expect(jsonValueProblem(read, budget) === undefined).toBe(inText);
    }),
    { numRuns: 2_000 },
  );
});

verifies(
  "host-threats:measured-once",
  "arguments of a message within a budget are within every budget that one implies",
  () => {
    fc.assert(
      fc.property(values, budgets, budgets, (args, measured, budget) => {
        const message = Buffer.from(JSON.stringify({ params: { arguments: args } }));
        fc.pre(impliesBudget(measured, budget) && jsonTextProblem(message, measured) === undefined);
        expect(jsonValueProblem(args, budget)).toBeUndefined();
      }),
    );
    expect(impliesBudget({ depth: 1, elements: 2 }, { depth: 1, elements: 1 })).toBe(false);
    expect(impliesBudget({ depth: 2, elements: 1 }, { depth: 1, elements: 1 })).toBe(false);
  },
);

verifies("host-threats:json-budget", "a value is counted like a recursive walk counts it", () => {
  fc.assert(
    fc.property(values, (value) => {
      const { depth, elements } = measure(value);
      const isFine = (budget: { depth: number; elements: number }): boolean =>
        jsonValueProblem(value, budget) === undefined;
      expect(isFine({ depth, elements })).toBe(true);
      if (depth > 0) expect(isFine({ depth: depth - 1, elements })).toBe(false);
      if (elements > 0) expect(isFine({ depth, elements: elements - 1 })).toBe(false);
    }),
  );
});

function measure(value: unknown): { depth: number; elements: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, elements: 0 };
  const children = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...children.map((child) => child.depth)),
    elements: children.reduce((sum, child) => sum + child.elements, Math.max(1, children.length)),
  };
}

verifies(
  "host-threats:json-budget",
  "brackets and commas in strings do not count, escaped quotes do not end strings",
  () => {
    const budget = { depth: 1, elements: 1 };
    for (const text of ['["[[[,,,"]', '["\\"[[,"]', '["\\\\"]', '["\\u005b[,"]', '{"[,":"]]"}'])
      expect(jsonTextProblem(Buffer.from(text), budget), text).toBeUndefined();
    for (const text of ['["\\\\",1]', '["\\\\",[]]', '["a",1'])
      expect(jsonTextProblem(Buffer.from(text), budget), text).toBeDefined();
  },
);

verifies("host-threats:json-budget", "any bytes are measured in one pass", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      jsonTextProblem(bytes, { depth: 3, elements: 10 });
    }),
  );
});

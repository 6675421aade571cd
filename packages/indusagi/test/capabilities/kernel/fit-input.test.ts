import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { fitInput } from "indusagi/capabilities";
import { expect } from "vitest";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    mode: { type: "string", enum: ["a", "b"] },
    items: {
      type: "array",
      maxItems: 3,
      items: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    },
  },
  required: ["path"],
} as const;

verifies("kernel:fit-input", "numbers and booleans sent as text are taken for what they mean", () => {
  const sent = { path: "a", limit: " +5 ", ratio: "-1.5", deep: "True", items: '[{"id":"x"}]' };
  const value = { path: "a", limit: 5, ratio: -1.5, deep: true, items: [{ id: "x" }] };
  expect(fitInput(schema, sent)).toEqual({ ok: true, value });
});

verifies(
  "kernel:fit-input",
  "an optional member that is null counts as absent, and surplus members are dropped",
  () => {
    expect(fitInput(schema, { path: "a", limit: null, other: 1 })).toEqual({
      ok: true,
      value: { path: "a" },
    });
  },
);

verifies("kernel:fit-input", "every misfit names its field and what is wanted", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{}, '"path" is missing'],
    [{ path: null }, '"path" must be a string, got null'],
    [{ path: "" }, '"path" must not be empty'],
    [{ path: 7 }, '"path" must be a string, got 7'],
    [{ path: "a", limit: "five" }, '"limit" must be a whole number, got "five"'],
    [{ path: "a", limit: 2.5 }, '"limit" must be a whole number, got 2.5'],
    [{ path: "a", limit: 0 }, '"limit" must be at least 1, got 0'],
    [{ path: "a", limit: 101 }, '"limit" must be at most 100, got 101'],
    [{ path: "a", deep: "yes" }, '"deep" must be true or false, got "yes"'],
    [{ path: "a", mode: "c" }, '"mode" must be one of "a", "b"'],
    [{ path: "a", items: {} }, '"items" must be an array, got an object'],
    [{ path: "a", items: [{ id: "x" }, { id: 1 }] }, '"items[1].id" must be a string, got 1'],
    [{ path: "a", items: [1, 2, 3, 4] }, '"items" must have at most 3 items, got 4'],
    [[], "the arguments must be an object, got an array"],
    ["path=a", 'the arguments must be an object, got "path=a"'],
  ];
  for (const [input, problem] of cases) expect(fitInput(schema, input)).toEqual({ ok: false, problem });
  const closed = { type: "object", properties: {}, additionalProperties: false };
  expect(fitInput(closed, { x: 1 })).toEqual({ ok: false, problem: '"x" is not known; known: none' });
});

verifies("kernel:fit-input", "fitting is total, and what fits fits again unchanged", () => {
  fc.assert(
    fc.property(fc.anything(), (input) => {
      const fitted = fitInput(schema, input);
      if (fitted.ok) expect(fitInput(schema, fitted.value)).toEqual(fitted);
      else expect(fitted.problem.length).toBeGreaterThan(0);
    }),
  );
});

verifies("kernel:fit-input", "whole numbers survive being sent as text", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), (limit) => {
      expect(fitInput(schema, { path: "a", limit: String(limit) })).toEqual({
        ok: true,
        value: { path: "a", limit },
      });
    }),
  );
});

verifies("kernel:fit-input", "a member named __proto__ changes no prototype", () => {
  const fitted = fitInput(schema, JSON.parse('{"path":"a","__proto__":{"polluted":true}}'));
  expect(fitted).toEqual({ ok: true, value: { path: "a" } });
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

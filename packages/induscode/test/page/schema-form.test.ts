import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { fieldOf, problemsOf, startOf } from "../../page/parts/schema.ts";

const object = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  required,
});
const memberOf = (schema: unknown) => {
  const field = fieldOf(object({ it: schema }));
  return field.kind === "group" ? field.members[0]?.field : undefined;
};

verifies("page:form", "each part of a schema is asked for in the fitting way", () => {
  expect(memberOf({ type: "string" })).toMatchObject({ kind: "text", isLong: false });
  expect(memberOf({ type: "string", format: "date" })).toMatchObject({ kind: "text", input: "date" });
  expect(memberOf({ type: ["integer", "null"], minimum: 1 })).toMatchObject({
    kind: "number",
    isInteger: true,
    least: 1,
  });
  expect(memberOf({ anyOf: [{ type: "boolean" }, { type: "null" }], title: "Sure?" })).toMatchObject({
    kind: "check",
    about: { title: "Sure?" },
  });
  expect(memberOf({ enum: ["a", 2], enumNames: ["First"] })).toMatchObject({
    kind: "choice",
    choices: [
      { value: "a", title: "First" },
      { value: 2, title: "2" },
    ],
  });
  expect(memberOf({ oneOf: [{ const: "s", title: "Small" }] })).toMatchObject({
    kind: "choice",
    choices: [{ value: "s", title: "Small" }],
  });
  expect(memberOf({ type: "array", items: { enum: ["x"] } })).toMatchObject({ kind: "choices" });
  expect(memberOf({ type: "array", items: { type: "number" } })).toMatchObject({
    kind: "list",
    item: { kind: "number" },
  });
  expect(memberOf({ type: "array" })).toMatchObject({ kind: "json" });
  expect(memberOf({})).toMatchObject({ kind: "json" });
  expect(
    fieldOf({ ...object({ it: { $ref: "#/$defs/word" } }), $defs: { word: { type: "string" } } }),
  ).toMatchObject({
    members: [{ field: { kind: "text" } }],
  });
});

verifies(
  "page:form",
  "a form starts with the defaults, and names what is missing or of the wrong kind",
  () => {
    const field = fieldOf(
      object(
        {
          count: { type: "integer", maximum: 9 },
          to: object({ unit: { type: "string", default: "km" } }),
          tags: { type: "array", items: { type: "string" } },
        },
        ["count", "tags"],
      ),
    );
    expect(startOf(field)).toEqual({ tags: [], to: { unit: "km" } });
    expect(problemsOf(field, startOf(field))).toEqual({ count: "is required" });
    expect(problemsOf(field, { count: "x", tags: [] })).toEqual({ count: "must be a whole number" });
    expect(problemsOf(field, { count: 10, tags: [] })).toEqual({ count: "must be at most 9" });
    expect(problemsOf(field, { count: 3, tags: ["a"], to: { unit: "m" } })).toEqual({});
  },
);

verifies(
  "page:form",
  "any value is a schema for the form, also one that refers to itself; the form never fails",
  () => {
    const loop = { type: "object", properties: { again: { $ref: "#" } }, required: ["again"] };
    expect(fieldOf(loop).kind).toBe("group");
    expect(fieldOf({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }).kind).toBe("json");
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue(), (schema, value) => {
        const field = fieldOf(schema);
        startOf(field);
        problemsOf(field, value);
      }),
    );
  },
);

import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { typedInput } from "../../../src/launch/arguments/index.ts";

verifies("command:typed-input", "the schema decides the type of a text", () => {
  for (const [schema, text, value] of [
    [{ type: "number" }, "5", 5],
    [{ type: "integer" }, "-3", -3],
    [{ type: "number" }, "five", "five"],
    [{ type: "boolean" }, "true", true],
    [{ type: "string" }, "5", "5"],
    [{ type: "string" }, '{"a": 1}', '{"a": 1}'],
    [{ type: ["string", "null"] }, "null", "null"],
    [{ type: ["integer", "null"] }, "null", null],
    [{ anyOf: [{ type: "integer" }, { type: "boolean" }] }, "false", false],
    [{ anyOf: [{ type: "integer" }, { type: "string" }] }, "7", "7"],
    [{ type: "array", items: { type: "string" } }, '["a"]', ["a"]],
    [{ enum: [1, 2] }, "2", 2],
    [{}, "5", "5"],
    [{}, "[1]", [1]],
    [undefined, '{"b":2}', { b: 2 }],
  ] as const) {
    const parameters = { type: "object", properties: { x: schema } };
    expect(typedInput(parameters, [{ name: "x", text }]), `${JSON.stringify(schema)} ${text}`).toEqual({
      x: value,
    });
  }
  expect(typedInput({}, [{ name: "x", value: 1 }])).toEqual({ x: 1 });
  const odd = typedInput({}, [{ name: "__proto__", text: "x" }]);
  expect(Object.entries(odd)).toEqual([["__proto__", "x"]]);
});

import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { nearNames } from "../../src/commands/near-names.ts";
import { showJson } from "../../src/commands/show-json.ts";
import { typedInput } from "../../src/commands/typed-input.ts";

verifies("command:typed-input", "the schema decides what a text means", () => {
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
});

verifies("command:unknown-tool", "a slip, a part and a wrong case come near; something else does not", () => {
  const names = ["notes__add", "notes__search", "units__convert"];
  expect(nearNames("notes__serch", names)).toEqual(["notes__search"]);
  expect(nearNames("convert", names)).toEqual(["units__convert"]);
  expect(nearNames("Notes-Add", names)).toEqual(["notes__add"]);
  expect(nearNames("weather", names)).toEqual([]);
});

verifies(
  "command:mcp-call",
  "JSON that is shown cannot move the cursor, and parses to the same value",
  () => {
    const value = { text: "\u001b[2J\u202e\u009b\u{e0041}é\u{1f600}\n" };
    const shown = showJson(value);
    expect(shown).not.toMatch(/[\u001b\u202e\u009b\u{e0041}]/u);
    expect(JSON.parse(shown)).toEqual(value);
  },
);

import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { formFields, readField } from "../../../../src/front/repl/dialogs/form-fields.ts";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", minLength: 2 },
    count: { type: "integer", minimum: 1, default: 3 },
    sure: { type: "boolean" },
    colour: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
    size: {
      type: "string",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large" },
      ],
    },
    tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
  },
  required: ["name", "sure"],
};

verifies("repl:forms", "the answers to a form get the types and limits of its schema", () => {
  const fields = new Map(formFields(SCHEMA).map((field) => [field.name, field]));
  expect([...fields.keys()]).toEqual(Object.keys(SCHEMA.properties));
  const read = (name: string, typed: string): unknown => {
    const field = fields.get(name);
    if (!field) throw new Error(name);
    const answer = readField(field, typed);
    return "value" in answer ? answer.value : "problem" in answer ? `problem: ${answer.problem}` : undefined;
  };
  expect(read("name", " Ada ")).toBe("Ada");
  expect(read("name", "A")).toMatch(/^problem: "name" must/);
  expect(read("name", "")).toMatch(/^problem/);
  expect(read("count", "12")).toBe(12);
  expect(read("count", "")).toBe(3);
  expect(read("count", "many")).toMatch(/^problem/);
  expect(read("sure", "y")).toBe(true);
  expect(read("sure", "false")).toBe(false);
  expect(read("colour", "2")).toBe("g");
  expect(read("colour", "")).toBeUndefined();
  expect(read("size", "l")).toBe("l");
  expect(read("size", "xl")).toBe("problem: choose one of s, l");
  expect(read("tags", "1, b")).toEqual(["a", "b"]);
  expect(fields.get("colour")?.choices?.map(({ title }) => title)).toEqual(["Red", "Green"]);
});

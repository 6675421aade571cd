import { verifies } from "@indus/testkit";
import { estimateTokens, estimateToolTokens, toolSignature } from "indusagi/llm";
import { expect } from "vitest";

const text = { type: "string" };

verifies("outline:signature", "arguments have their types, and the required ones come first", () => {
  const parameters = {
    type: "object",
    properties: { tags: { type: "array", items: text }, text, "a b": { type: "integer" } },
    required: ["text", "undescribed"],
  };
  expect(toolSignature({ name: "add", parameters })).toBe(
    'add(text: string, undescribed: any, tags?: string[], "a b"?: integer)',
  );
  expect(toolSignature({ name: "now", parameters: {} })).toBe("now()");
});

verifies("outline:signature", "each form of a schema has its notation", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{ type: ["string", "null"] }, "string | null"],
    [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
    [{ const: true }, "true"],
    [{ anyOf: [text, { type: "number" }, text] }, "string | number"],
    [{ type: "array", items: { oneOf: [text, { type: "null" }] } }, "(string | null)[]"],
    [{ type: "array" }, "any[]"],
    [{ type: "array", prefixItems: [text, { type: "boolean" }] }, "[string, boolean]"],
    [{ items: text }, "string[]"],
    [{ allOf: [{ $ref: "#/x" }, { type: "object" }] }, "any & object"],
    [{ type: "object", additionalProperties: text }, "{ [name]: string }"],
    [{ type: "object" }, "object"],
    [{ properties: { a: text } }, "{ a?: string }"],
    [{ enum: "abcdefghij".split("") }, '"a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | …'],
    [{ const: "x".repeat(50) }, `"${"x".repeat(39)}…`],
    [false, "never"],
    [true, "any"],
    ["nonsense", "any"],
    [{ type: 7, required: "no", properties: [] }, "any"],
  ];
  for (const [schema, shown] of cases)
    expect(toolSignature({ name: "t", parameters: { properties: { x: schema } } })).toBe(`t(x?: ${shown})`);
});

verifies("outline:signature", "deep and wide objects are cut", () => {
  const deep = {
    type: "object",
    properties: { b: { type: "object", properties: { c: { properties: { d: text } } } } },
  };
  expect(toolSignature({ name: "t", parameters: { properties: { a: deep } } })).toBe(
    "t(a?: { b?: { c?: object } })",
  );
  const wide = { properties: Object.fromEntries("abcdefghij".split("").map((name) => [name, text])) };
  expect(toolSignature({ name: "t", parameters: { properties: { a: wide } } })).toContain("h?: string, … }");
});

verifies("outline:tokens", "four bytes of UTF-8 are one token", () => {
  expect(estimateTokens("")).toBe(0);
  expect(estimateTokens("12345")).toBe(2);
  expect(estimateTokens("日本")).toBe(2);
  const tool = { name: "add", description: "Adds.", parameters: { type: "object" } };
  expect(estimateToolTokens(tool)).toBe(estimateTokens(JSON.stringify(tool)));
});

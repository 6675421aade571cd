import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { JsonObject } from "indusagi/llm";
import { expect } from "vitest";
import { COMMANDS } from "../../../src/commands/index.ts";
import { callWords, typedInput } from "../../../src/launch/arguments/index.ts";
import { type GivenArgument, parseArguments } from "../../../src/launch/internal.ts";

const schema = {
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    on: { type: "boolean" },
    list: { type: "array" },
    maybe: { type: ["string", "null"] },
    open: {},
  },
};

verifies("mcp-tools:words", "plain values stay plain, others are JSON", () => {
  const words = callWords(schema, { text: "5", count: 5, on: true, list: [1], maybe: null, open: 5 });
  expect(words).toEqual(["text=5", "count=5", "on=true", "list:=[1]", "maybe:=null", "open:=5"]);
  expect(callWords(schema, { "-x": 1 })).toEqual(["--args", '{"-x":1}']);
});

verifies("mcp-tools:words", "the command reads any arguments back from their words", () => {
  const name = fc.oneof(
    fc.constantFrom(...Object.keys(schema.properties)),
    fc.string({ minLength: 1, maxLength: 4 }),
  );
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string(), fc.integer(), fc.boolean());
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }), (given) => {
      // JSON has no -0.
      const args = JSON.parse(JSON.stringify(given)) as JsonObject;
      const line = parseArguments(["mcp", "call", "t", ...callWords(schema, args)], COMMANDS);
      if (line.kind !== "command" || line.name !== "mcp call") throw new Error(JSON.stringify(line));
      const { given: read } = line.request as { readonly given: readonly GivenArgument[] };
      expect(typedInput(schema, read)).toEqual(args);
    }),
  );
});

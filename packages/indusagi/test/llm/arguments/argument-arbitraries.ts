import fc from "fast-check";
import type { JsonSchema } from "indusagi/llm";

// No name that every object inherits: the validator these are compared with takes `toString` for a member.
const name = fc.constantFrom("a", "b", "c");
const scalar = fc.oneof(
  fc.constantFrom<string | number | boolean | null>(
    null,
    true,
    false,
    0,
    1,
    2.5,
    "",
    "a",
    "5",
    "null",
    "[1]",
  ),
  fc.constantFrom(" +5 ", "TRUE", "1e400", "{", '{"a":"5"}', "😀😀"),
  fc.integer({ min: -3, max: 3 }),
);

const members = <Value>(value: fc.Arbitrary<Value>) =>
  fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });

/** Values that often fit the schemas below, and often do not. */
export const jsonValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie("value"), { maxLength: 3 }), members(tie("value"))),
})).value;

const type = fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null");
const low = fc.integer({ min: 0, max: 1 });
const high = fc.integer({ min: 1, max: 3 });

/** Schemas made of the keywords that `explainMismatch` checks. */
export const supportedSchema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record(
      {
        type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })),
        enum: fc.array(scalar, { minLength: 1, maxLength: 3 }),
        minimum: low,
        maximum: high,
        minLength: low,
        maxLength: high,
      },
      { requiredKeys: ["type"], noNullPrototype: true },
    ),
    fc.record(
      { type: fc.constant("array"), items: tie("schema"), minItems: low, maxItems: high },
      { requiredKeys: ["type"], noNullPrototype: true },
    ),
    fc.record(
      {
        type: fc.constant("object"),
        properties: members(tie("schema")),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
      },
      { requiredKeys: ["type"], noNullPrototype: true },
    ),
  ),
})).schema;

/** Also keywords that `coerceArguments` looks at or must not be misled by. */
const anySchema: fc.Arbitrary<JsonSchema> = fc.oneof(
  supportedSchema,
  fc.record({ anyOf: fc.array(supportedSchema, { minLength: 1, maxLength: 2 }) }),
  fc.record({ anyOf: fc.tuple(supportedSchema, fc.constant({})) }),
  fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
);

export const argumentSchema: fc.Arbitrary<JsonSchema> = fc.record(
  {
    type: fc.constant("object"),
    properties: members(anySchema),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), anySchema),
  },
  { requiredKeys: ["properties"], noNullPrototype: true },
);

/** Arguments with one member, and a schema that they often fit. */
export const oneArgument: fc.Arbitrary<readonly [JsonSchema, { readonly a: unknown }]> = fc.tuple(
  fc.record({ properties: fc.record({ a: anySchema }) }),
  fc.record({ a: fc.oneof(scalar, jsonValue) }),
);

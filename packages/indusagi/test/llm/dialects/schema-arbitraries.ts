import fc from "fast-check";

const NAMES = [
  "a",
  "b",
  "c",
  "type",
  "properties",
  "$ref",
  "__proto__",
  "constructor",
  "toString",
  "x/y~z",
  "",
];
/** Regular expressions that all, some and no providers accept. */
const PATTERNS = ["(a+)+$", "^a", "^\\p{L}", "(?<n>a)", "("];
const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
const REFS = [
  "#",
  "",
  "#/",
  "#/$defs/a",
  "#/$defs/b",
  "#/definitions/a",
  "#/properties/a",
  "#/properties/x~1y~0z",
  "#/allOf/0",
  "#/%zz",
  "#anchor",
  "#/$defs/__proto__",
  "#/constructor",
  "http://example.com/schema.json",
  "other.json#/$defs/a",
];

/** Any value in place of a keyword's value. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(...TYPES, ...REFS, ...NAMES),
);

function record(value: fc.Arbitrary<unknown>, names: readonly string[]): fc.Arbitrary<unknown> {
  return fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
}

/** Random schemas: known keywords with invalid values, references to anything. */
export const hostileSchema: fc.Arbitrary<unknown> = fc
  .letrec<{ schema: unknown }>((tie) => {
    const schema = tie("schema");
    const map = record(schema, NAMES);
    const list = fc.array(schema, { maxLength: 3 });
    const count = fc.oneof(fc.nat(5), junk);
    const member: { readonly [keyword: string]: fc.Arbitrary<unknown> } = {
      type: fc.oneof(fc.constantFrom<unknown>(...TYPES), fc.subarray(TYPES), junk),
      description: fc.oneof(fc.string(), junk),
      properties: fc.oneof({ weight: 4, arbitrary: map }, { weight: 1, arbitrary: junk }),
      required: fc.oneof(fc.array(fc.constantFrom(...NAMES)), junk),
      items: fc.oneof(schema, list, junk),
      prefixItems: fc.oneof(list, junk),
      additionalItems: schema,
      additionalProperties: fc.oneof(schema, junk),
      patternProperties: fc.oneof(map, record(schema, PATTERNS)),
      dependencies: fc.oneof(map, junk),
      anyOf: fc.oneof(list, junk),
      oneOf: fc.oneof(list, junk),
      allOf: fc.oneof(list, junk),
      not: schema,
      if: schema,
      then: schema,
      contains: schema,
      unevaluatedProperties: schema,
      enum: fc.oneof(fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }), junk),
      const: fc.jsonValue({ maxDepth: 1 }),
      default: fc.jsonValue({ maxDepth: 1 }),
      format: fc.oneof(fc.constantFrom("date-time", "uri", "int32"), junk),
      pattern: fc.oneof(fc.constantFrom(...PATTERNS), junk),
      minimum: fc.oneof(fc.integer(), junk),
      exclusiveMinimum: fc.oneof(fc.integer(), fc.boolean(), junk),
      minLength: count,
      maxItems: count,
      uniqueItems: fc.oneof(fc.boolean(), junk),
      nullable: fc.oneof(fc.boolean(), junk),
      propertyOrdering: fc.oneof(fc.array(fc.constantFrom(...NAMES)), junk),
      $ref: fc.oneof(fc.constantFrom(...REFS), junk),
      $defs: map,
      definitions: map,
      $schema: fc.constant("http://json-schema.org/draft-07/schema#"),
      $comment: junk,
      "x-extra": junk,
      ["__proto__"]: junk,
    };
    const keywords = Object.keys(member);
    return {
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { weight: 1, arbitrary: fc.boolean() },
        { weight: 1, arbitrary: junk },
        {
          weight: 8,
          arbitrary: fc.subarray(keywords, { minLength: 1, maxLength: 6 }).chain((chosen) =>
            fc
              .tuple(...chosen.map((keyword) => member[keyword] ?? junk))
              // Unlike an assignment, this makes `__proto__` an own key.
              .map((values) => Object.fromEntries(chosen.map((keyword, i) => [keyword, values[i]]))),
          ),
        },
      ),
    };
  })
  .schema.map(asJson);

/** The value as it arrives from a server: plain JSON. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const KEYS = ["a", "b", "c"];
const DEFS = ["#/$defs/a", "#/$defs/b", "#/$defs/c"];

/** Small values, so that small schemas accept many of them. */
const smallInstance: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, 0, 1, 2, 1.5, "", "a", "bb"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** Arguments: always an object. */
export const smallArguments: fc.Arbitrary<Record<string, unknown>> = fc.dictionary(
  fc.constantFrom(...KEYS),
  smallInstance,
  { maxKeys: 3 },
);

const valid = fc.letrec<{
  schema: unknown;
  node: Record<string, unknown>;
  object: Record<string, unknown>;
}>((tie) => {
  const schema = tie("schema");
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(fc.constantFrom(...KEYS), schema, { maxKeys: 3 });
  const some = { requiredKeys: [] as never[] };
  const number = fc.constantFrom("integer", "number");
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 3, arbitrary: fc.record({ type: fc.constantFrom(...TYPES) }) },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 3, arbitrary: fc.constantFrom("#", ...DEFS).map(($ref) => ({ $ref })) },
      { weight: 6, arbitrary: tie("node") },
    ),
    node: fc.oneof(
      tie("object"),
      fc.record({ type: fc.constant("array"), items: schema, contains: schema, maxItems: fc.nat(3) }, some),
      fc.record({ type: number, minimum: fc.nat(2), exclusiveMaximum: fc.nat(3) }, some),
      fc.record({ enum: fc.array(smallInstance, { minLength: 1, maxLength: 3 }) }),
      fc.record({ anyOf: list, oneOf: list, allOf: list, title: fc.constant("T") }, some),
      fc.record({ not: schema, if: schema, then: schema, else: schema }, some),
    ),
    object: fc.record(
      {
        type: fc.constantFrom<unknown>("object", ["object", "null"]),
        properties: map,
        required: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 2 }),
        additionalProperties: schema,
        description: fc.string({ maxLength: 3 }),
        unevaluatedProperties: schema,
        maxProperties: fc.nat(3),
        $ref: fc.constantFrom(...DEFS),
      },
      some,
    ),
  };
});

/** A root that accepts some arguments: mostly objects, with loose keywords more often than strict ones. */
const validRoot = fc.oneof(
  { weight: 1, arbitrary: valid.node },
  { weight: 1, arbitrary: valid.object },
  { weight: 2, arbitrary: fc.record({ properties: fc.dictionary(fc.constantFrom(...KEYS), valid.schema) }) },
);

/** Valid JSON Schema 2020-12 with local references, some of them recursive. */
export const validSchema: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(validRoot, valid.node, valid.node, valid.node)
  .map(([root, a, b, c]) => asJson({ ...root, $defs: { a, b, c } }) as Record<string, unknown>);

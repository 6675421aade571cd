import fc from "fast-check";
import type { Definition } from "./malformed-definitions.ts";

const META = "http://json-schema.org/draft-07/schema";
const object = (keywords: object): Definition => ({ type: "object", ...keywords });

/** Output schemas whose names and references the validator of SDK 1 refuses: alone, or after another one of these. */
export const NAMED_SCHEMAS: { readonly [label: string]: Definition } = {
  "a reference to itself": object({ properties: { a: { $ref: "#/properties/a" } } }),
  "references to each other": object({
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
  }),
  "a nested $id twice": object({ properties: { a: { $id: "x" }, b: { $id: "x", type: "string" } } }),
  "the $id of the metaschema": object({ properties: { a: { $id: META } } }),
  "a bad anchor in a property named default": object({ properties: { default: { $anchor: "1 bad" } } }),
  "a bad anchor in a definition named const": object({ $defs: { const: { $anchor: "1 bad" } } }),
  "an $id twice, in properties named examples and const": object({
    properties: { examples: { $id: "#id" }, const: { $id: "#id", type: "string" } },
  }),
  "examples that are no list": object({ examples: { $anchor: "1 bad" } }),
  "a map that is none": object({ constructor: { const: { $anchor: "1 bad" } } }),
  "almost the metaschema": object({ properties: { a: { $ref: `${META}2` } } }),
  "nothing in the metaschema": object({ properties: { a: { $ref: `${META}#/definitions/nope` } } }),
  "an address that is none": object({
    $id: "http://[",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: {} },
  }),
  "a malformed $id": object({ $id: "a b%", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: {} } }),
  "a root that is a fragment": object({ $id: "#foo", properties: { a: { $ref: "#foo" } } }),
  "an anchor in a root with $id": object({ $id: "x", $anchor: "foo", properties: { a: { $ref: "#foo" } } }),
  "an $id of a root": object({ $id: "http://x/a", properties: { a: { type: "string" } } }),
  "the same $id inside": object({ properties: { a: { $id: "http://x/a", type: "number" } } }),
  "the same $id of another root": object({ $id: "http://x/a", properties: { b: { type: "number" } } }),
  "an empty $id": object({ $id: "", properties: { c: { type: "number" } } }),
  "a definition named $id": object({ properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: {}, $id: {} } }),
  "a name with a hash": object({ properties: { a: { $ref: "#/$defs/#" } }, $defs: { "#": {} } }),
  "a reference into data": {
    properties: { a: { $ref: "#/default" } },
    default: { items: { $ref: "#/$defs/a" } },
    $defs: { a: { type: "string" } },
  },
  "a recursion without an object": {
    $schema: "https://json-schema.org/draft/2019-09/schema",
    $recursiveRef: "#",
  },
};

/** Small schemas of the keywords that name something, with property names that are keywords too. */
export function nastySchemas(): fc.Arbitrary<Definition> {
  const name = fc.constantFrom(
    "default",
    "const",
    "examples",
    "enum",
    "a",
    "a",
    "$id",
    "a/b",
    "%25",
    "#",
    "",
  );
  const text = fc.constantFrom("x", "#x", "y", "1 bad", "", "http://x/a", "http://[", META, `${META}#`);
  const { schema } = fc.letrec<{ schema: unknown; keyword: readonly [string, unknown] }>((tie) => {
    const child = tie("schema");
    const map = fc.dictionary(name, child, { minKeys: 1, maxKeys: 3 });
    const value = fc.oneof(child, fc.array(child, { maxLength: 2 }));
    const keywords = (weight: number, names: readonly string[], values: fc.Arbitrary<unknown>) => ({
      weight,
      arbitrary: fc.tuple(fc.constantFrom(...names), values),
    });
    return {
      schema: fc.oneof({ maxDepth: 5 }, fc.boolean(), fc.constantFrom({}, { type: "string" }), {
        weight: 8,
        arbitrary: fc.array(tie("keyword"), { minLength: 1, maxLength: 3 }).map(Object.fromEntries),
      }),
      keyword: fc.oneof(
        keywords(9, ["properties", "$defs", "definitions", "dependencies", "patternProperties"], map),
        keywords(3, ["items", "not", "additionalProperties"], child),
        keywords(2, ["allOf", "anyOf"], fc.array(child, { minLength: 1, maxLength: 2 })),
        keywords(2, ["default", "const", "examples", "unknown"], value),
        // A number is replaced by a pointer to some part.
        keywords(9, ["$ref"], fc.oneof({ weight: 9, arbitrary: fc.nat() }, text)),
        keywords(1, ["$recursiveRef"], fc.constant("#")),
        keywords(1, ["$id", "$anchor", "$dynamicAnchor"], text),
        keywords(1, ["$id", "constructor"], fc.oneof(child, map)),
      ),
    };
  });
  return fc.tuple(schema, fc.boolean()).map(([value, isObject]) => {
    const root = { ...(typeof value === "object" ? value : {}), ...(isObject && { type: "object" }) };
    return withPointers(root, pointersIn(root, "#")) as Definition;
  });
}

function pointersIn(value: unknown, at: string): readonly string[] {
  if (typeof value !== "object" || value === null) return typeof value === "boolean" ? [at] : [];
  const escaped = (key: string): string =>
    encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
  return [at, ...Object.entries(value).flatMap(([key, each]) => pointersIn(each, `${at}/${escaped(key)}`))];
}

function withPointers(value: unknown, pointers: readonly string[]): unknown {
  if (typeof value === "number") return pointers[value % pointers.length];
  if (Array.isArray(value)) return value.map((each) => withPointers(each, pointers));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withPointers(each, pointers)]));
}

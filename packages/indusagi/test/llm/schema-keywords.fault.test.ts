import { atSize, verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { mapChildSchemas } from "../../src/llm/internal.ts";
import { hostileSchema, validSchema } from "./dialects/schema-arbitraries.ts";

const runs = { numRuns: atSize({ quick: 500, full: 20_000 }) };

interface Members {
  readonly [name: string]: unknown;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The keywords of all drafts from 4 to 2020-12 that hold schemas. */
const ONE = ["additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "not"];
const MORE_ONE = ["propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"];
const LIST = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAP = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

type Child = readonly [child: unknown, keyword: string, key: string | number | undefined];

function childrenOf(schema: Members): Child[] {
  return Object.entries(schema).flatMap(([keyword, value]): Child[] => {
    if (MAP.includes(keyword))
      return isMembers(value) ? Object.entries(value).map(([name, child]) => [child, keyword, name]) : [];
    if (Array.isArray(value) && [...LIST, "items"].includes(keyword))
      return value.map((child, index) => [child, keyword, index]);
    return [...ONE, ...MORE_ONE, "items"].includes(keyword) ? [[value, keyword, undefined]] : [];
  });
}

/** Every keyword, in every form, beside members that are none. */
const anySchema: fc.Arbitrary<Members> = fc.oneof(
  hostileSchema.filter(isMembers),
  validSchema,
  fc
    .array(
      fc.tuple(
        fc.constantFrom(...ONE, ...MORE_ONE, ...LIST, ...MAP, "items", "enum", "x", "__proto__", "toString"),
        fc.oneof(hostileSchema, fc.array(hostileSchema, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 })),
      ),
    )
    .map((members): Members => Object.fromEntries(members)),
);

verifies("schema-keywords:children", "each child is visited once, in order, with its keyword and key", () => {
  let visits = 0;
  fc.assert(
    fc.property(anySchema, (schema) => {
      const visited: Child[] = [];
      mapChildSchemas(schema, (child, keyword, key) => {
        visited.push([child, keyword, key]);
        return child;
      });
      const expected = childrenOf(schema);
      expect(visited).toEqual(expected);
      visited.forEach(([child], at) => expect(child).toBe(expected[at]?.[0]));
      visits += visited.length;
    }),
    runs,
  );
  expect(visits).toBeGreaterThan(runs.numRuns / 2);
});

verifies("schema-keywords:children", "unchanged children give the same object, copies an equal one", () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      const given = deepFreeze(schema) as Members;
      expect(mapChildSchemas(given, (child) => child)).toBe(given);
      expect(mapChildSchemas(given, (child) => structuredClone(child))).toEqual(given);
    }),
    runs,
  );
});

verifies("schema-keywords:children", "a changed child is replaced, and nothing else", () => {
  fc.assert(
    fc.property(anySchema, fc.nat(), (schema, chosen) => {
      const before = childrenOf(schema);
      fc.pre(before.length > 0);
      const at = chosen % before.length;
      let next = 0;
      const changed = mapChildSchemas(schema, (child) => (next++ === at ? { changed: true } : child));
      const after = before.map(([child, ...place], index) =>
        index === at ? [{ changed: true }, ...place] : [child, ...place],
      );
      expect(childrenOf(changed)).toEqual(after);
      expect(Object.keys(changed)).toEqual(Object.keys(schema));
    }),
    runs,
  );
});

verifies("schema-keywords:children", "the work grows with the number of members, changed or not", () => {
  for (const members of [1_000, 4_000]) {
    let reads = 0;
    const counted = (target: object): object =>
      new Proxy(target, { get: (of, name) => (reads++, Reflect.get(of, name) as unknown) });
    const list = Array.from({ length: members }, () => ({}));
    const named = Object.fromEntries(list.map((child, at) => [`p${at}`, child]));
    const schema = { properties: counted(named), anyOf: counted(list) };
    for (const change of [(child: unknown) => child, () => true, flipLast(2 * members)])
      mapChildSchemas(schema, change);
    expect(reads).toBeGreaterThan(6 * members);
    expect(reads).toBeLessThan(20 * members);
  }
});

/** Changes the last of so many children: all before it were read already, and are now copied. */
function flipLast(count: number): (child: unknown) => unknown {
  let left = count;
  return (child) => (--left === 0 ? true : child);
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

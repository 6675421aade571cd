import { atSize, verifies } from "@indus/testkit";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import fc from "fast-check";
import { type DialectName, projectName, projectSchema, schemaBudgetProblem } from "indusagi/llm";
import { expect } from "vitest";
import { hostileSchema, smallArguments, validSchema } from "./schema-arbitraries.ts";

const dialect = fc.constantFrom<DialectName>("portable", "anthropic", "openai", "gemini");
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileSchema },
  { weight: 2, arbitrary: validSchema },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const runs = { numRuns: atSize({ quick: 200, full: 5_000 }) };

verifies("dialects:laws", "idempotent: a second projection returns the same object, without losses", () => {
  fc.assert(
    fc.property(anything, dialect, (schema, dialect) => {
      const once = projectSchema(schema, dialect).schema;
      const twice = projectSchema(once, dialect);
      expect(twice.losses).toEqual([]);
      expect(twice.schema).toBe(once);
    }),
    runs,
  );
});

verifies(
  "dialects:laws",
  "pure: a frozen schema is accepted, stays unchanged, and gives the same result again",
  () => {
    fc.assert(
      fc.property(anything, dialect, (schema, dialect) => {
        const before = JSON.stringify(schema);
        const first = projectSchema(deepFreeze(schema), dialect);
        expect(JSON.stringify(schema)).toBe(before);
        expect(JSON.stringify(projectSchema(JSON.parse(before), dialect))).toBe(JSON.stringify(first));
      }),
      runs,
    );
  },
);

verifies("dialects:laws", "every dialect starts from the portable form", () => {
  fc.assert(
    fc.property(anything, dialect, (schema, dialect) => {
      const direct = projectSchema(schema, dialect).schema;
      expect(projectSchema(projectSchema(schema, "portable").schema, dialect).schema).toEqual(direct);
    }),
    runs,
  );
});

verifies(
  "dialects:laws",
  "an unchanged schema has no losses, and every loss has a position and a reason",
  () => {
    fc.assert(
      fc.property(anything, dialect, (schema, dialect) => {
        const projection = projectSchema(schema, dialect);
        if (projection.schema === schema) expect(projection.losses).toEqual([]);
        for (const loss of projection.losses) {
          expect(loss.at).toMatch(/^(\/.*)?$/s);
          expect(Object.keys(loss)).toEqual(["at", "keyword", "why"]);
        }
      }),
      runs,
    );
  },
);

verifies(
  "dialects:root",
  "the root is an object schema with properties, as plain JSON, within the budget",
  () => {
    fc.assert(
      fc.property(anything, dialect, (schema, dialect) => {
        const root = projectSchema(schema, dialect).schema;
        expect(root["type"]).toBe("object");
        expect(isRecord(root["properties"])).toBe(true);
        expect(Object.getPrototypeOf(root)).toBe(Object.prototype);
        expect(Object.getPrototypeOf(root["properties"])).toBe(Object.prototype);
        expect(schemaBudgetProblem(root)).toBeUndefined();
      }),
      runs,
    );
  },
);

verifies("dialects:references", "no reference remains in any schema of any dialect", () => {
  fc.assert(
    fc.property(anything, dialect, (schema, dialect) => {
      everySchema(projectSchema(schema, dialect).schema, (node) => {
        for (const keyword of ["$ref", "$defs", "definitions"])
          expect(Object.hasOwn(node, keyword)).toBe(false);
      });
    }),
    runs,
  );
});

/** The verdict of an independent validator; `undefined` if it fails, as on a reference to itself. */
function accepts(schema: object, instance: unknown): boolean | undefined {
  try {
    return new CfWorkerJsonSchemaValidator({ draft: "2020-12" }).getValidator(schema as never)(instance)
      .valid;
  } catch {
    return undefined;
  }
}

verifies(
  "dialects:accepts",
  "the portable schema accepts all that the given one accepts; without losses, exactly that",
  () => {
    const seen = { accepted: 0, refused: 0, acceptedWithLosses: 0 };
    const instances = fc.array(smallArguments, { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(validSchema, instances, (schema, instances) => {
        const { schema: portable, losses } = projectSchema(schema, "portable");
        for (const instance of instances) {
          const verdict = accepts(schema, instance);
          if (verdict === undefined) continue;
          if (verdict || losses.length === 0) expect(accepts(portable, instance)).toBe(verdict);
          seen[verdict ? "accepted" : "refused"]++;
          if (verdict && losses.length > 0) seen.acceptedWithLosses++;
        }
      }),
      { numRuns: atSize({ quick: 120, full: 6_000 }) },
    );
    // Guards against a vacuous pass.
    expect(Math.min(seen.accepted, seen.refused, seen.acceptedWithLosses)).toBeGreaterThan(
      atSize({ quick: 5, full: 1_000 }),
    );
  },
  { timeoutMs: 300_000 },
);

verifies("dialects:openai", "no union, enum or not at the root, and items for every array", () => {
  fc.assert(
    fc.property(anything, (schema) => {
      const root = projectSchema(schema, "openai").schema;
      for (const keyword of ["anyOf", "oneOf", "allOf", "enum", "not"])
        expect(Object.hasOwn(root, keyword)).toBe(false);
      everySchema(root, (node) => {
        if ([node["type"]].flat().includes("array")) expect(node["items"]).toBeDefined();
      });
    }),
    runs,
  );
});

verifies("dialects:anthropic", "no union at the root, and only plain property names there", () => {
  fc.assert(
    fc.property(anything, (schema) => {
      const root = projectSchema(schema, "anthropic").schema;
      for (const keyword of ["anyOf", "oneOf", "allOf"]) expect(Object.hasOwn(root, keyword)).toBe(false);
      for (const name of Object.keys(root["properties"] as object))
        expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    }),
    runs,
  );
});

const GEMINI_KEYWORDS: { readonly [type: string]: readonly string[] } = {
  object: ["properties", "required", "minProperties", "maxProperties", "propertyOrdering"],
  array: ["items", "minItems", "maxItems"],
  string: ["enum", "minLength", "maxLength", "pattern"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  null: [],
};
const GEMINI_ANNOTATIONS = ["type", "title", "description", "format", "nullable", "default", "example"];

verifies("dialects:gemini", "every node is only an anyOf or has one type and keywords of that type", () => {
  fc.assert(
    fc.property(anything, (schema) => {
      everySchema(projectSchema(schema, "gemini").schema, (node) => {
        if (Object.hasOwn(node, "anyOf")) {
          expect(Object.keys(node)).toEqual(["anyOf"]);
          return;
        }
        const type = String(node["type"]);
        expect([...GEMINI_ANNOTATIONS, ...(GEMINI_KEYWORDS[type] ?? ["no such type"])]).toEqual(
          expect.arrayContaining(Object.keys(node)),
        );
        if (type === "array") expect(isRecord(node["items"])).toBe(true);
        const values = node["enum"] ?? ["a"];
        expect((values as unknown[]).every((value) => typeof value === "string" && value !== "")).toBe(true);
        const properties = isRecord(node["properties"]) ? node["properties"] : {};
        for (const name of (node["required"] ?? []) as string[])
          expect(Object.hasOwn(properties, name)).toBe(true);
      });
    }),
    runs,
  );
});

const LEGAL: { readonly [name in DialectName]: RegExp } = {
  portable: /^[a-zA-Z0-9_-]{1,64}$/,
  anthropic: /^[a-zA-Z0-9_-]{1,128}$/,
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
};
const toolName = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: fc.constantFrom("a", "_", "-", ".", ":", "/", "7"), minLength: 1, maxLength: 140 }),
);

verifies("dialects:names", "a projected name is legal, and a legal name is unchanged", () => {
  fc.assert(
    fc.property(toolName, dialect, (name, dialect) => {
      const projected = projectName(name, dialect);
      expect(projected).toMatch(LEGAL[dialect]);
      expect(projectName(projected, dialect)).toBe(projected);
      if (LEGAL[dialect].test(name)) expect(projected).toBe(name);
      else expect(projected).toMatch(/_[0-9a-f]{8}$/);
    }),
    runs,
  );
});

verifies("dialects:names", "different names stay different", () => {
  fc.assert(
    fc.property(toolName, toolName, dialect, (a, b, dialect) => {
      expect(projectName(a, dialect) === projectName(b, dialect)).toBe(a === b);
    }),
    runs,
  );
  const long = "x".repeat(200);
  expect(projectName(`${long}1`, "openai")).not.toBe(projectName(`${long}2`, "openai"));
  expect(projectName("files/read", "openai")).not.toBe(projectName("files.read", "openai"));
});

verifies("dialects:names", "the form of a cleaned name is pinned", () => {
  expect(projectName("fs__read", "portable")).toBe("fs__read");
  expect(projectName("files.read", "gemini")).toBe("files.read");
  expect(projectName("files.read", "anthropic")).toMatch(/^files_read_[0-9a-f]{8}$/);
  expect(projectName("7zip", "gemini")).toMatch(/^_zip_[0-9a-f]{8}$/);
  expect(projectName("", "portable")).toMatch(/^__[0-9a-f]{8}$/);
});

const ONE = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
];
const MANY = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED = ["dependencies", "dependentSchemas", "patternProperties", "properties"];

/** Calls `visit` for every subschema. Has its own keyword tables, so that a wrong table in the source is found. */
function everySchema(schema: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (!isRecord(schema)) return;
  visit(schema);
  for (const keyword of [...ONE, "unevaluatedProperties"]) {
    if (Object.hasOwn(schema, keyword)) everySchema(schema[keyword], visit);
  }
  for (const keyword of [...MANY, ...NAMED]) {
    const inner = Object.hasOwn(schema, keyword) ? schema[keyword] : {};
    for (const each of Object.values(inner as object)) everySchema(each, visit);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

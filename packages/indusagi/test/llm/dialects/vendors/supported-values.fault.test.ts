import { atSize, verifies } from "@indus/testkit";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import fc from "fast-check";
import { type DialectName, projectSchema } from "indusagi/llm";
import { expect } from "vitest";

/** A provider's form of one parameter called `it`, and its losses. */
function projected(it: unknown, dialect: DialectName): { it: unknown; losses: string[] } {
  const { schema, losses } = projectSchema({ type: "object", properties: { it } }, dialect);
  return {
    it: (schema["properties"] as { it: unknown }).it,
    losses: losses.map((loss) => `${loss.at} ${loss.keyword} ${loss.why}`),
  };
}

const letters = String.raw`^[\p{L}]+$`;

verifies("dialects:patterns", "OpenAI: a pattern that Python rejects moves to the description", () => {
  expect(projected({ type: "string", description: "Name.", pattern: letters }, "openai")).toEqual({
    it: { type: "string", description: String.raw`Name. (pattern: "^[\\p{L}]+$")` },
    losses: ["/properties/it pattern moved"],
  });
  for (const pattern of ["(?<name>a)", String.raw`\u{61}`, "("]) {
    expect(projected({ type: "string", pattern }, "openai").it).toEqual({
      type: "string",
      description: `(pattern: ${JSON.stringify(pattern)})`,
    });
  }
  const long = { type: "string", pattern: `${letters}${"a".repeat(240)}` };
  expect(projected(long, "openai")).toEqual({
    it: { type: "string" },
    losses: ["/properties/it pattern dropped"],
  });
});

verifies(
  "dialects:patterns",
  "OpenAI: a rejected key is dropped, and the members it matched stay allowed",
  () => {
    const it = {
      type: "object",
      patternProperties: { [letters]: {}, "^x-": { type: "string" } },
      additionalProperties: false,
    };
    expect(projected(it, "openai")).toEqual({
      it: { type: "object", patternProperties: { "^x-": { type: "string" } } },
      losses: [
        `/properties/it/patternProperties ${letters} dropped`,
        "/properties/it additionalProperties widened",
      ],
    });
    expect(projected({ type: "object", patternProperties: { [letters]: {} } }, "openai").it).toEqual({
      type: "object",
    });
  },
);

verifies("dialects:patterns", "OpenAI: keywords that depend on a looser part are relaxed", () => {
  expect(projected({ not: { pattern: letters } }, "openai")).toEqual({
    it: {},
    losses: ["/properties/it/not pattern moved", "/properties/it not widened"],
  });
  expect(projected({ oneOf: [{ pattern: letters }, { type: "null" }] }, "openai").it).toEqual({
    anyOf: [{ description: expect.stringContaining("pattern") }, { type: "null" }],
  });
});

verifies(
  "dialects:patterns",
  "an invalid regular expression moves to the description for every provider",
  () => {
    const described = { type: "string", description: '(pattern: "(")' };
    for (const dialect of ["anthropic", "openai", "gemini"] as const) {
      expect(projected({ type: "string", pattern: "(" }, dialect)).toEqual({
        it: described,
        losses: ["/properties/it pattern moved"],
      });
    }
    for (const dialect of ["portable", "anthropic", "gemini"] as const) {
      const it = { type: "string", pattern: letters };
      expect(projected(it, dialect)).toEqual({ it, losses: [] });
    }
  },
);

const pattern = fc.constantFrom(letters, "^a", "(?<n>b)$");
const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(1, "", "a", "b", "1"),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "1"), tie("value"), { maxKeys: 2 }),
  ),
})).value;

/** Schemas in which many keywords depend on a pattern. */
const patterned: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown }>((tie) => {
  const schema = tie("schema");
  const list = fc.array(schema, { minLength: 1, maxLength: 2 });
  const some = { requiredKeys: [] as never[] };
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({ pattern }),
      fc.boolean(),
      fc.record({ not: schema, oneOf: list, anyOf: list }, some),
      fc.record({ if: schema, then: schema, else: schema }, some),
      fc.record({ contains: schema, maxContains: fc.constant(1), items: schema }, some),
      fc.record(
        {
          patternProperties: fc.dictionary(pattern, schema, { maxKeys: 2 }),
          additionalProperties: schema,
          unevaluatedProperties: schema,
          propertyNames: schema,
          allOf: list,
        },
        some,
      ),
    ),
  };
}).schema;

verifies("dialects:patterns", "OpenAI: the result accepts all that the given schema accepts", () => {
  const accepts = (schema: object, instance: unknown): boolean =>
    new CfWorkerJsonSchemaValidator({ draft: "2020-12" }).getValidator(schema as never)(instance).valid;
  let accepted = 0;
  fc.assert(
    fc.property(patterned, fc.array(value, { minLength: 5, maxLength: 5 }), (it, instances) => {
      const given = JSON.parse(JSON.stringify({ type: "object", properties: { it } })) as object;
      const { schema, losses } = projectSchema(given, "openai");
      for (const instance of instances) {
        if (!accepts(given, { it: instance })) continue;
        expect(accepts(schema, { it: instance })).toBe(true);
        if (losses.length > 0) accepted++;
      }
    }),
    { numRuns: atSize({ quick: 300, full: 10_000 }) },
  );
  // Guards against a vacuous pass.
  expect(accepted).toBeGreaterThan(50);
});

verifies(
  "dialects:empty-enum",
  "every provider: an empty enum moves to the description, at any depth",
  () => {
    for (const dialect of ["anthropic", "openai", "gemini"] as const) {
      expect(projected({ type: "string", description: "Name.", enum: [] }, dialect), dialect).toEqual({
        it: { type: "string", description: "Name. (enum: [])" },
        losses: ["/properties/it enum moved"],
      });
      const deep = {
        type: "array",
        items: { type: "object", properties: { a: { type: "string", enum: [] } } },
      };
      expect(JSON.stringify(projected(deep, dialect).it), dialect).not.toContain('"enum"');
      expect(projectSchema({ type: "object", enum: [] }, dialect).schema, dialect).not.toHaveProperty("enum");
    }
    expect(projected({ enum: [] }, "portable").it).toEqual({ enum: [] });
  },
);

verifies("dialects:empty-enum", "a keyword that depends on the empty enum is relaxed", () => {
  for (const dialect of ["anthropic", "openai"] as const)
    expect(projected({ type: "string", not: { enum: [] } }, dialect), dialect).toEqual({
      it: { type: "string" },
      losses: ["/properties/it/not enum moved", "/properties/it not widened"],
    });
});

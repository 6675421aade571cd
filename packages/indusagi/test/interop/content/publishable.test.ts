import { type DefinitionKind, HEALTHY, mutantsOf, verifies } from "@indus/testkit";
import { specTypeSchemas } from "@modelcontextprotocol/client";
import {
  PromptSchema,
  ResourceSchema,
  ResourceTemplateSchema,
  ToolSchema,
} from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { expect } from "vitest";
import { compilableSchema } from "../../../src/interop/content/compilable-schema.ts";
import {
  leftOutNote,
  publishable,
  publishableItems,
  publishableResult,
} from "../../../src/interop/content/index.ts";

const KINDS: readonly DefinitionKind[] = ["tools", "prompts", "resources", "templates"];

type Accepts = (definition: unknown) => boolean;

const SPEC = {
  tools: "Tool",
  prompts: "Prompt",
  resources: "Resource",
  templates: "ResourceTemplate",
} as const;
const FIRST = {
  tools: ToolSchema,
  prompts: PromptSchema,
  resources: ResourceSchema,
  templates: ResourceTemplateSchema,
};

/** Whether the schemas of both generations of the official client accept a definition. */
function accepts(kind: DefinitionKind): Accepts {
  const standard = specTypeSchemas[SPEC[kind]]["~standard"];
  return (definition) =>
    FIRST[kind].safeParse(definition).success &&
    !("issues" in (standard.validate(definition) as object)) &&
    (kind !== "tools" || isModernTool(definition));
}

/** The schemas of the modern era are not exported. They are the same but for this. */
function isModernTool(definition: unknown): boolean {
  const { inputSchema } = definition as { readonly inputSchema: { readonly $schema?: unknown } };
  return inputSchema.$schema === undefined || typeof inputSchema.$schema === "string";
}

/** An output schema of another type than an object is wrapped for clients of the legacy era, which is not seen here. */
function asWrapped(definition: { readonly [member: string]: unknown }): unknown {
  const { outputSchema, ...rest } = definition as { readonly outputSchema?: { readonly type?: unknown } };
  if (outputSchema === undefined || outputSchema.type === "object") return definition;
  return { ...rest, outputSchema: { type: "object", properties: { result: outputSchema } } };
}

function outputOf(definition: unknown): { readonly [keyword: string]: unknown } {
  return (
    (definition as { readonly outputSchema?: { readonly [keyword: string]: unknown } }).outputSchema ?? {}
  );
}

function isCompilable(schema: { readonly [keyword: string]: unknown }): boolean {
  return compilableSchema(schema) === schema;
}

/** What holds for every definition. Returns whether it is left out. */
function expectLaws(kind: DefinitionKind, definition: unknown, label: string): boolean {
  const isAccepted = accepts(kind);
  const published = publishable(kind, definition);
  if (isAccepted(definition) && isCompilable(outputOf(definition)))
    expect(published, `${label}: a valid one stays the same object`).toBe(definition);
  if (!published) return true;
  expect(isAccepted(asWrapped(published)), `${label}: ${JSON.stringify(published)}`).toBe(true);
  expect(isCompilable(outputOf(published)), label).toBe(true);
  expect(publishable(kind, published), `${label}: a repaired one is valid`).toBe(published);
  // The same repair for an equal object that was not seen before.
  expect(publishable(kind, structuredClone(published)), label).toEqual(published);
  return false;
}

verifies(
  "publish:law",
  "every member with every kind of value: valid ones stay the same object, the others are valid afterwards or left out",
  () => {
    for (const kind of KINDS) {
      expect(expectLaws(kind, HEALTHY[kind], "healthy")).toBe(false);
      expect(accepts(kind)(HEALTHY[kind])).toBe(true);
      const leftOut = mutantsOf(kind, true).filter(({ definition, label }) =>
        expectLaws(kind, definition, label),
      );
      const paths = [...new Set(leftOut.map(({ label }) => label.split(" ")[0]))];
      const required = {
        tools: [
          "name",
          "inputSchema",
          "inputSchema.type",
          "inputSchema.properties",
          "inputSchema.properties.a",
        ],
        prompts: ["name"],
        resources: ["uri", "name"],
        templates: ["uriTemplate", "name"],
      }[kind];
      const strict = kind === "tools" ? ["inputSchema.required", "inputSchema.required.0"] : [];
      expect(paths.sort()).toEqual([...required, ...strict].sort());
    }
  },
);

/** A definition in which some values were replaced by any JSON. */
const mutated = (kind: DefinitionKind): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.nat(1000), fc.jsonValue({ maxDepth: 2 })), { minLength: 1, maxLength: 4 })
    .map((changes) => changes.reduce<unknown>((value, [at, by]) => replaceAt(value, at, by), HEALTHY[kind]));

function replaceAt(value: unknown, at: number, by: unknown): unknown {
  if (typeof value !== "object" || value === null) return by;
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = keys[at % keys.length] as string;
  const rest = Math.floor(at / keys.length);
  const next = rest % 2 === 0 ? by : replaceAt(value[key as never], Math.floor(rest / 2), by);
  return Array.isArray(value)
    ? value.map((each, index) => (String(index) === key ? next : (each as unknown)))
    : { ...value, [key]: next };
}

verifies("publish:law", "the same for definitions in which several values are any JSON", () => {
  for (const kind of KINDS)
    fc.assert(
      fc.property(mutated(kind), (definition) => {
        expectLaws(kind, definition, JSON.stringify(definition));
      }),
      { numRuns: 100 },
    );
});

verifies("publish:law", "a time is valid exactly if the official clients take it for one", () => {
  const digits = fc.tuple(
    fc.constantFrom("1900", "2000", "2023", "2024", "2100", "0000"),
    fc.constantFrom("00", "01", "02", "04", "12", "13"),
    fc.constantFrom("00", "01", "28", "29", "30", "31", "32"),
    fc.constantFrom("T", " ", "t"),
    fc.constantFrom("00:00:00", "23:59:60", "24:00:00", "10:00", "10:00:00.5", "10:00:00."),
    fc.constantFrom("Z", "", "+01:00", "-23:59", "+24:00", "+0100", "z"),
  );
  fc.assert(
    fc.property(digits, ([year, month, day, t, time, zone]) => {
      const lastModified = `${year}-${month}-${day}${t}${time}${zone}`;
      expectLaws("resources", { ...HEALTHY.resources, annotations: { lastModified } }, lastModified);
    }),
    { numRuns: 500 },
  );
});

const tool = (members: object): object => ({ name: "t", inputSchema: { type: "object" }, ...members });
const schema = (keywords: object): object => ({ name: "t", inputSchema: keywords });

verifies("publish:repairs", "what is clear is repaired, and what is not is left out", () => {
  const repairs: readonly (readonly [object, object | undefined])[] = [
    // As mcp-obsidian 1.0.0 lists its tools.
    [
      schema({ properties: { q: { type: "string" } } }),
      { type: "object", properties: { q: { type: "string" } } },
    ],
    [schema({}), { type: "object" }],
    [schema({ type: null }), { type: "object" }],
    [schema({ type: ["object", "null"] }), { type: "object" }],
    [schema({ type: "string" }), undefined],
    [schema({ type: ["string"] }), undefined],
    [schema({ type: "object", properties: [] }), { type: "object", properties: {} }],
    [schema({ type: "object", properties: null }), { type: "object" }],
    [schema({ type: "object", properties: ["q"] }), undefined],
    [
      schema({ type: "object", properties: { a: true, b: false, c: null } }),
      { type: "object", properties: { a: {}, b: { not: {} }, c: {} } },
    ],
    [schema({ type: "object", properties: { a: "string" } }), undefined],
    [schema({ type: "object", required: true }), { type: "object" }],
    [schema({ type: "object", required: {} }), { type: "object" }],
    [schema({ type: "object", required: null }), { type: "object" }],
    [schema({ type: "object", required: "a" }), undefined],
    [schema({ type: "object", required: ["a", 1] }), undefined],
  ];
  for (const [definition, inputSchema] of repairs)
    expect(publishable("tools", definition), JSON.stringify(definition)).toEqual(
      inputSchema && { name: "t", inputSchema },
    );
  const dropped = {
    title: null,
    description: 1,
    icons: "x",
    _meta: [],
    annotations: "x",
    outputSchema: true,
  };
  expect(publishable("tools", tool({ ...dropped, execution: null }))).toEqual(tool({}));
  expect(
    publishable(
      "tools",
      tool({ annotations: { readOnlyHint: "yes", title: "T", more: 1 }, icons: [{}, { src: "s" }] }),
    ),
  ).toEqual(tool({ annotations: { title: "T", more: 1 }, icons: [{ src: "s" }] }));
  const proto = JSON.parse(
    '{"name":"t","title":null,"inputSchema":{"type":"object"},"__proto__":{"polluted":1}}',
  ) as object;
  expect(JSON.stringify(publishable("tools", proto))).toBe(
    '{"name":"t","inputSchema":{"type":"object"},"__proto__":{"polluted":1}}',
  );
  const result = { tools: [], nextCursor: null, _meta: 1, ttlMs: -1, cacheScope: "all", more: null };
  expect(publishableResult(result)).toEqual({ tools: [], more: null });
});

verifies(
  "publish:named",
  "a note names three of what is left out, each with the reason, and counts the others",
  () => {
    const bad = (name: string): object => ({ name, inputSchema: { type: "string" } });
    expect(leftOutNote("tools", [tool({}), schema({})])).toBeUndefined();
    expect(leftOutNote("tools", [tool({}), bad("a")])).toBe(
      '1 tool is left out: "a" (its inputSchema.type is malformed)',
    );
    expect(leftOutNote("tools", ["a", "b", "c", "d", "e"].map(bad))).toMatch(
      /^5 tools are left out: "a" .*"c" \(.*\) and 2 more$/,
    );
    expect(leftOutNote("resources", [{ uri: "x://1" }, { name: 7, uri: 7 }, 7])).toBe(
      '3 resources are left out: "x://1" (its name is malformed), one without a name (its name is malformed), one without a name (its definition is malformed)',
    );
    expect(leftOutNote("tools", [bad("x".repeat(5000))])?.length).toBeLessThan(200);
    const items = [tool({}), tool({})];
    expect(publishableItems("tools", items).items).toBe(items);
  },
);

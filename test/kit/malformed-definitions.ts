/** A definition of a list, such as a tool, as plain JSON. */
export interface Definition {
  readonly [member: string]: unknown;
}

export type DefinitionKind = "tools" | "prompts" | "resources" | "templates";

type Path = readonly (string | number)[];

const ICONS = [{ src: "data:,", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }];
const COMMON = {
  title: "A title",
  description: "A text.",
  icons: ICONS,
  _meta: { "example.com/a": [1, null] },
};
const OBJECT = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
};
const NOTES = { audience: ["user"], priority: 0.5, lastModified: "2026-02-28T10:00:00Z" };

/** A valid definition of each kind, with every member that the official clients look at, and one that they do not. */
export const HEALTHY: { readonly [kind in DefinitionKind]: Definition } = {
  tools: {
    name: "healthy",
    ...COMMON,
    inputSchema: { ...OBJECT, "x-more": 1 },
    outputSchema: OBJECT,
    annotations: {
      title: "A title",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    execution: { taskSupport: "optional" },
    "x-more": null,
  },
  prompts: {
    name: "healthy",
    ...COMMON,
    arguments: [{ name: "a", description: "A text.", required: true }],
    "x-more": null,
  },
  resources: {
    uri: "x://healthy",
    name: "healthy",
    ...COMMON,
    mimeType: "text/plain",
    size: 3,
    annotations: NOTES,
    "x-more": null,
  },
  templates: {
    uriTemplate: "x://healthy/{a}",
    name: "healthy",
    ...COMMON,
    mimeType: "text/plain",
    annotations: NOTES,
    "x-more": null,
  },
};

/** Every kind of JSON value. */
const KINDS: { readonly [name: string]: unknown } = {
  null: null,
  flag: true,
  number: 7,
  text: "x",
  list: ["x"],
  object: { x: "x" },
};
/** What servers mix up with another kind. */
const SPELLINGS: { readonly [name: string]: unknown } = {
  false: false,
  fraction: -0.5,
  huge: 1e300,
  "empty text": "",
  numbers: [7],
  nulls: [null],
  "list of objects": [{ x: 1 }],
  types: ["object", "null"],
  "empty list": [],
  "object of objects": { x: { type: "string" } },
  "object of nulls": { x: null },
  "object of flags": { x: true, y: false },
  "empty object": {},
};
const ABSENT = Symbol("absent");

/** A definition in which one value was replaced by one of another kind, or removed. */
export interface Mutant {
  readonly label: string;
  readonly definition: Definition;
}

/**
 * Every member of a definition, at every depth, with a value of every kind. Some of them are valid. `more`: also with other values of
 * each kind.
 */
export function mutantsOf(kind: DefinitionKind, more = false): readonly Mutant[] {
  const base = HEALTHY[kind];
  const values = Object.entries({ absent: ABSENT, ...KINDS, ...(more ? SPELLINGS : {}) });
  return pathsIn(base)
    .flatMap((path) => values.map(([what, value]) => ({ path, what, value })))
    .map(({ path, what, value }, at) => ({
      label: `${path.join(".")} ${what}`,
      definition: replaced(named(base, `m${at}`), path, value) as Definition,
    }));
}

/** The same definition under another name. */
function named(base: Definition, name: string): Definition {
  return {
    ...base,
    name,
    ...("uri" in base && { uri: `x://${name}` }),
    ...("uriTemplate" in base && { uriTemplate: `x://${name}/{a}` }),
  };
}

function pathsIn(value: unknown): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]): readonly Path[] => {
    const step = Array.isArray(value) ? Number(key) : key;
    return [[step], ...pathsIn(each).map((path) => [step, ...path])];
  });
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    const next = value.map((each, at) => (at === step ? replaced(each, rest, by) : (each as unknown)));
    return next.filter((each) => each !== ABSENT);
  }
  const members = Object.entries(value as Definition).map(
    ([key, each]) => [key, key === step ? replaced(each, rest, by) : each] as const,
  );
  return Object.fromEntries(members.filter(([, each]) => each !== ABSENT));
}

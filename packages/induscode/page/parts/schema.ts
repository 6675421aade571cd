/** How a form asks for one value of a JSON Schema. */
export type Field =
  | {
      readonly kind: "text";
      readonly about: About;
      readonly input: "text" | "email" | "url" | "date";
      readonly isLong: boolean;
    }
  | {
      readonly kind: "number";
      readonly about: About;
      readonly isInteger: boolean;
      readonly least?: number | undefined;
      readonly most?: number | undefined;
    }
  | { readonly kind: "check"; readonly about: About }
  | { readonly kind: "choice"; readonly about: About; readonly choices: readonly Choice[] }
  | { readonly kind: "choices"; readonly about: About; readonly choices: readonly Choice[] }
  | { readonly kind: "list"; readonly about: About; readonly item: Field }
  | { readonly kind: "group"; readonly about: About; readonly members: readonly Member[] }
  /** Anything a form has no better question for. */
  | { readonly kind: "json"; readonly about: About };

interface About {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly start?: unknown;
  readonly example?: unknown;
}

export interface Choice {
  readonly value: unknown;
  readonly title: string;
}

export interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: Field;
}

type Schema = { readonly [keyword: string]: unknown };

const MAX_DEPTH = 5;
const LONG_NAMES =
  /^(text|content|body|query|prompt|message|description|code|source|markdown|html|sql|script)$/i;
const INPUTS: { readonly [format: string]: "email" | "url" | "date" } = {
  email: "email",
  uri: "url",
  url: "url",
  date: "date",
};

/** The form of a schema. Total: what it does not understand is asked for as JSON. */
export function fieldOf(schema: unknown, name = "", root: unknown = schema, depth = 0): Field {
  const plain = isObject(schema) ? followed(schema, root) : {};
  const about: About = {
    title: textOf(plain["title"]),
    description: textOf(plain["description"]),
    start: plain["default"],
    example: Array.isArray(plain["examples"]) ? plain["examples"][0] : undefined,
  };
  if (depth > MAX_DEPTH) return { kind: "json", about };
  const choices = choicesOf(plain);
  if (choices) return { kind: "choice", about, choices };
  const only = onlyBranch(plain);
  if (only) return withAbout(fieldOf(only, name, root, depth + 1), about);
  switch (typeOf(plain)) {
    case "string": {
      const format = textOf(plain["format"]) ?? "";
      const limit = plain["maxLength"];
      const isLong = LONG_NAMES.test(name) && !(typeof limit === "number" && limit <= 100);
      return { kind: "text", about, input: INPUTS[format] ?? "text", isLong };
    }
    case "integer":
    case "number":
      return {
        kind: "number",
        about,
        isInteger: typeOf(plain) === "integer",
        least: numberOf(plain["minimum"]),
        most: numberOf(plain["maximum"]),
      };
    case "boolean":
      return { kind: "check", about };
    case "array": {
      const items = plain["items"];
      const of = isObject(items) ? choicesOf(followed(items, root)) : undefined;
      if (of) return { kind: "choices", about, choices: of };
      const item = fieldOf(items ?? {}, name, root, depth + 1);
      return item.kind === "json" ? { kind: "json", about } : { kind: "list", about, item };
    }
    case "object":
      return groupOf(plain, about, root, depth);
    default:
      return { kind: "json", about };
  }
}

function groupOf(schema: Schema, about: About, root: unknown, depth: number): Field {
  const properties = schema["properties"];
  if (!isObject(properties))
    return depth === 0 ? { kind: "group", about, members: [] } : { kind: "json", about };
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const members = Object.entries(properties).map(([name, member]) => ({
    name,
    isRequired: required.has(name),
    field: fieldOf(member, name, root, depth + 1),
  }));
  // What must be given comes first.
  return {
    kind: "group",
    about,
    members: [...members.filter((one) => one.isRequired), ...members.filter((one) => !one.isRequired)],
  };
}

/** What a form shows before anything is entered: defaults, and an empty list for a required one. */
export function startOf(field: Field): unknown {
  if (field.about.start !== undefined) return field.about.start;
  if (field.kind !== "group") return undefined;
  const members = field.members.flatMap(({ name, field: member, isRequired }) => {
    const start = startOf(member);
    const needed = start === undefined && isRequired ? needless(member) : start;
    return needed === undefined ? [] : [[name, needed] as const];
  });
  return Object.fromEntries(members);
}

/** A required value that nobody has to enter. */
function needless(field: Field): unknown {
  if (field.kind === "check") return false;
  return field.kind === "list" || field.kind === "choices" ? [] : undefined;
}

/** What is wrong with a value so far, by its path such as `options.limit`. The gateway checks everything else. */
export function problemsOf(
  field: Field,
  value: unknown,
  path = "",
  isRequired = false,
): { readonly [path: string]: string } {
  if (value === undefined) return isRequired ? { [path]: "is required" } : {};
  switch (field.kind) {
    case "number": {
      if (typeof value !== "number")
        return { [path]: field.isInteger ? "must be a whole number" : "must be a number" };
      if (field.isInteger && !Number.isInteger(value)) return { [path]: "must be a whole number" };
      if (field.least !== undefined && value < field.least)
        return { [path]: `must be at least ${field.least}` };
      return field.most !== undefined && value > field.most
        ? { [path]: `must be at most ${field.most}` }
        : {};
    }
    case "group":
      if (!isObject(value)) return { [path]: "must be an object" };
      return Object.assign(
        {},
        ...field.members.map(({ name, field: member, isRequired: needed }) =>
          problemsOf(member, value[name], path === "" ? name : `${path}.${name}`, needed),
        ),
      );
    case "list":
      if (!Array.isArray(value)) return { [path]: "must be a list" };
      return Object.assign(
        {},
        ...value.map((item, at) => problemsOf(field.item, item, `${path}.${at}`, true)),
      );
    case "json":
      return value instanceof NotJson ? { [path]: "is not JSON yet" } : {};
    default:
      return {};
  }
}

/** Text that is being typed as JSON, and is none so far. */
export class NotJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The only form of a value besides null. */
function onlyBranch(schema: Schema): unknown {
  const branches = [schema["anyOf"], schema["oneOf"], schema["allOf"]].find(Array.isArray) as
    | readonly unknown[]
    | undefined;
  const real = branches?.filter((branch) => !(isObject(branch) && branch["type"] === "null"));
  return typeOf(schema) === undefined && real?.length === 1 ? real[0] : undefined;
}

function choicesOf(schema: Schema): readonly Choice[] | undefined {
  if (Array.isArray(schema["enum"])) {
    const names = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : [];
    return schema["enum"].map((value, at) => ({ value, title: textOf(names[at]) ?? shown(value) }));
  }
  const branches = [schema["oneOf"], schema["anyOf"]].find(Array.isArray) as readonly unknown[] | undefined;
  if (
    !branches ||
    branches.length === 0 ||
    !branches.every((branch) => isObject(branch) && "const" in branch)
  )
    return undefined;
  return (branches as readonly Schema[]).map((branch) => ({
    value: branch["const"],
    title: textOf(branch["title"]) ?? shown(branch["const"]),
  }));
}

/** The schema a local reference leads to, with what stands beside it. */
function followed(schema: Schema, root: unknown): Schema {
  let now = schema;
  for (let step = 0; step < 8 && typeof now["$ref"] === "string"; step++) {
    const { $ref: reference, ...beside } = now;
    const parts =
      typeof reference === "string" && reference.startsWith("#/") ? reference.slice(2).split("/") : undefined;
    let target: unknown = parts && root;
    for (const part of parts ?? []) target = isObject(target) ? target[unescaped(part)] : undefined;
    now = isObject(target) ? { ...target, ...beside } : beside;
  }
  return now;
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function typeOf(schema: Schema): string | undefined {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== "null");
  if (types.length === 1 && typeof types[0] === "string") return types[0];
  return type === undefined && isObject(schema["properties"]) ? "object" : undefined;
}

function withAbout(field: Field, { title, description, start, example }: About): Field {
  const about = {
    title: title ?? field.about.title,
    description: description ?? field.about.description,
    start: start ?? field.about.start,
    example: example ?? field.about.example,
  };
  return { ...field, about };
}

export const shown = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

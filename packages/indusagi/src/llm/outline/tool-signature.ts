import { shortenText } from "../../core/index.ts";
import { isRecord } from "../../core/internal.ts";
import { requiredNames, typesIn } from "../arguments/schema-parts.ts";
import type { ToolDescriptor } from "../contract/index.ts";
import type { Members } from "../members.ts";

/**
 * A tool as a typed function: `add(text: string, tags?: string[])`. Contains names from a server: escape it before
 * showing it on a terminal.
 */
export function toolSignature({ name, parameters }: Pick<ToolDescriptor, "name" | "parameters">): string {
  return `${name}(${membersText(parameters, SHORT)})`;
}

/** How much of a type is written, and which words it uses. */
interface TypeStyle {
  /** Deeper objects are shown as `object`. */
  readonly depth: number;
  readonly members: number;
  readonly branches: number;
  readonly literalChars: number;
  /** Of the arguments themselves. */
  readonly rootMembers: number;
  readonly any: string;
  readonly object: string;
  /** In place of what is left out of an object or a union. */
  readonly more: string;
  readonly moreBranches: string;
  readonly key: string;
  readonly isName: RegExp;
  /** A type that is neither an array nor an object. */
  readonly typeName: (type: string) => string;
  /** The comment before a member with this description. */
  readonly note: (description: string) => string;
}

const SHORT: TypeStyle = {
  depth: 2,
  members: 8,
  branches: 8,
  literalChars: 40,
  rootMembers: Infinity,
  any: "any",
  object: "object",
  more: "…",
  moreBranches: "…",
  key: "[name]",
  isName: /^[\p{L}_$][\p{L}\p{N}_$-]*$/u,
  typeName: (type) => type,
  note: () => "",
};

/** Types that TypeScript accepts. */
const DECLARED: TypeStyle = {
  depth: 5,
  members: 40,
  branches: 30,
  literalChars: 80,
  rootMembers: 60,
  any: "unknown",
  object: "Record<string, unknown>",
  more: "[more: string]: unknown",
  moreBranches: "unknown",
  key: "[name: string]",
  isName: /^[A-Za-z_$][\w$]*$/,
  typeName: (type) => TYPE_NAMES[type] ?? "unknown",
  note: (description) => `/** ${docText(description, 120)} */ `,
};

const TYPE_NAMES: { readonly [type: string]: string } = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** A schema as a TypeScript type, with the descriptions of members as comments. */
export function schemaType(schema: unknown, { withNotes }: { readonly withNotes: boolean }): string {
  return typeText(schema, withNotes ? DECLARED : { ...DECLARED, note: () => "" });
}

/** A description as part of a comment, on one line. */
export function docText(description: string, maxChars: number): string {
  const line = description.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return shortenText(line, maxChars).replaceAll("*/", "*\\/");
}

/**
 * The type that a schema describes, in the notation of TypeScript: `string`, `number[]`, `"a" | "b"`,
 * `{ from: string, to?: string }`. Keywords without such a notation are left out. The text is not escaped for display.
 */
function typeText(schema: unknown, style: TypeStyle, depth = 0): string {
  if (schema === false) return "never";
  if (!isRecord(schema)) return style.any;
  if (schema["const"] !== undefined) return literal(schema["const"], style);
  if (Array.isArray(schema["enum"]))
    return union(
      schema["enum"].map((value) => literal(value, style)),
      style,
    );
  const types = typesIn(schema);
  if (types.length > 0)
    return union(
      types.map((type) => plainTypeText(type, schema, style, depth)),
      style,
    );
  const branches = listOf(schema["anyOf"] ?? schema["oneOf"]);
  if (branches.length > 0)
    return union(
      branches.map((branch) => typeText(branch, style, depth)),
      style,
    );
  const parts = listOf(schema["allOf"]).map((part) => typeText(part, style, depth));
  if (parts.length > 0) return [...new Set(parts)].join(" & ");
  if (isRecord(schema["properties"])) return objectText(schema, style, depth);
  return schema["items"] === undefined ? style.any : arrayText(schema, style, depth);
}

/** The arguments that a schema describes, the required ones first: `text: string, tags?: string[]`. */
function membersText(
  schema: Members,
  style: TypeStyle,
  depth: number = 0,
  maxMembers: number = style.rootMembers,
): string {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = requiredNames(schema);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const member = (name: string, mark: string): string => {
    const value = ownMember(properties, name);
    const { description } = isRecord(value) ? value : {};
    const note = typeof description === "string" && description.trim() !== "" ? style.note(description) : "";
    return `${note}${memberName(name, style)}${mark}: ${typeText(value, style, depth)}`;
  };
  const shown = [...required.map((name) => member(name, "")), ...optional.map((name) => member(name, "?"))];
  const rest = shown.length > maxMembers ? [style.more] : [];
  return [...shown.slice(0, maxMembers), ...rest].join(", ");
}

function plainTypeText(type: string, schema: Members, style: TypeStyle, depth: number): string {
  if (type === "array") return arrayText(schema, style, depth);
  if (type === "object") return objectText(schema, style, depth);
  return style.typeName(type);
}

function arrayText({ items, prefixItems }: Members, style: TypeStyle, depth: number): string {
  if (Array.isArray(prefixItems))
    return `[${prefixItems
      .slice(0, style.members)
      .map((item) => typeText(item, style, depth))
      .join(", ")}]`;
  const item = typeText(items, style, depth);
  return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: Members, style: TypeStyle, depth: number): string {
  const { properties, additionalProperties } = schema;
  if (depth >= style.depth) return style.object;
  if (isRecord(properties) && Object.keys(properties).length > 0)
    return `{ ${membersText(schema, style, depth + 1, style.members)} }`;
  return isRecord(additionalProperties)
    ? `{ ${style.key}: ${typeText(additionalProperties, style, depth + 1)} }`
    : style.object;
}

function union(texts: readonly string[], style: TypeStyle): string {
  const distinct = [...new Set(texts)];
  const rest = distinct.length > style.branches ? [style.moreBranches] : [];
  return [...distinct.slice(0, style.branches), ...rest].join(" | ") || "never";
}

function literal(value: unknown, { literalChars, any, moreBranches }: TypeStyle): string {
  const text = JSON.stringify(value) ?? any;
  if (text.length <= literalChars) return text;
  return moreBranches === "…"
    ? `${text.slice(0, literalChars)}…`
    : typeof value === "string"
      ? "string"
      : any;
}

function memberName(name: string, { isName }: TypeStyle): string {
  return isName.test(name) ? name : JSON.stringify(name);
}

function ownMember(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

import { isRecord } from "../../core/internal.ts";
import { requiredNames, typesIn } from "../arguments/schema-parts.ts";
import type { ToolDescriptor } from "../contract/index.ts";
import type { Members } from "../members.ts";

/**
 * A tool as a typed function: `add(text: string, tags?: string[])`. Contains names from a server: escape it before
 * showing it on a terminal.
 */
export function toolSignature({ name, parameters }: Pick<ToolDescriptor, "name" | "parameters">): string {
  return `${name}(${membersText(parameters, 0)})`;
}

/** Deeper objects are shown as `object`. */
const MAX_DEPTH = 2;
const MAX_MEMBERS = 8;
const MAX_BRANCHES = 8;
const MAX_LITERAL_CHARS = 40;

/**
 * The type that a schema describes, in the notation of TypeScript: `string`, `number[]`, `"a" | "b"`,
 * `{ from: string, to?: string }`. Keywords without such a notation are left out. The text is not escaped for display.
 */
function typeText(schema: unknown, depth = 0): string {
  if (schema === false) return "never";
  if (!isRecord(schema)) return "any";
  if (schema["const"] !== undefined) return literal(schema["const"]);
  if (Array.isArray(schema["enum"])) return union(schema["enum"].map(literal));
  const types = typesIn(schema);
  if (types.length > 0) return union(types.map((type) => plainTypeText(type, schema, depth)));
  const branches = listOf(schema["anyOf"] ?? schema["oneOf"]);
  if (branches.length > 0) return union(branches.map((branch) => typeText(branch, depth)));
  const parts = listOf(schema["allOf"]).map((part) => typeText(part, depth));
  if (parts.length > 0) return [...new Set(parts)].join(" & ");
  if (isRecord(schema["properties"])) return objectText(schema, depth);
  return schema["items"] === undefined ? "any" : arrayText(schema, depth);
}

/** The arguments that a schema describes, the required ones first: `text: string, tags?: string[]`. */
function membersText(schema: Members, depth: number, maxMembers: number = Infinity): string {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = requiredNames(schema);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const shown = [
    ...required.map((name) => `${memberName(name)}: ${typeText(ownMember(properties, name), depth)}`),
    ...optional.map((name) => `${memberName(name)}?: ${typeText(properties[name], depth)}`),
  ];
  const rest = shown.length > maxMembers ? ["…"] : [];
  return [...shown.slice(0, maxMembers), ...rest].join(", ");
}

function plainTypeText(type: string, schema: Members, depth: number): string {
  if (type === "array") return arrayText(schema, depth);
  return type === "object" ? objectText(schema, depth) : type;
}

function arrayText({ items, prefixItems }: Members, depth: number): string {
  if (Array.isArray(prefixItems))
    return `[${prefixItems
      .slice(0, MAX_MEMBERS)
      .map((item) => typeText(item, depth))
      .join(", ")}]`;
  const item = typeText(items, depth);
  return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: Members, depth: number): string {
  const { properties, additionalProperties } = schema;
  if (depth >= MAX_DEPTH) return "object";
  if (isRecord(properties) && Object.keys(properties).length > 0)
    return `{ ${membersText(schema, depth + 1, MAX_MEMBERS)} }`;
  return isRecord(additionalProperties)
    ? `{ [name]: ${typeText(additionalProperties, depth + 1)} }`
    : "object";
}

function union(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  const rest = distinct.length > MAX_BRANCHES ? ["…"] : [];
  return [...distinct.slice(0, MAX_BRANCHES), ...rest].join(" | ") || "never";
}

function literal(value: unknown): string {
  const text = JSON.stringify(value) ?? "any";
  return text.length > MAX_LITERAL_CHARS ? `${text.slice(0, MAX_LITERAL_CHARS)}…` : text;
}

function memberName(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? name : JSON.stringify(name);
}

function ownMember(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

import { shortenText } from "indusagi/core";

/** The shape of a value: types and sizes. */
export type Shape = string | { readonly [member: string]: Shape };

const MAX_MEMBERS = 20;
const MAX_DEPTH = 3;
const MAX_NAME = 40;

/** What arguments look like, without their values: `{ path: "string(12)", lines: "number", tags: "array(3)" }`. */
export function shapeOf(value: unknown, depth = 0): Shape {
  if (value === null) return "null";
  if (typeof value === "string") return `string(${value.length})`;
  if (Array.isArray(value)) return `array(${value.length})`;
  if (typeof value !== "object") return typeof value;
  const names = Object.keys(value);
  if (depth >= MAX_DEPTH) return `object(${names.length})`;
  const members = names.slice(0, MAX_MEMBERS).map((name) => {
    const member = (value as { readonly [member: string]: unknown })[name];
    return [shortenText(name, MAX_NAME), shapeOf(member, depth + 1)] as const;
  });
  const rest = names.length - members.length;
  return Object.fromEntries(rest > 0 ? [...members, ["…", `${rest} more`] as const] : members);
}

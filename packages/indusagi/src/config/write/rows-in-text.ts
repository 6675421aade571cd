import { canonicalJson } from "../../core/index.ts";
import { CONTAINERS } from "../parse/find-rows.ts";
import { type JsonNode, membersOf, plainValue, readJsonTree } from "../parse/json-tree.ts";
import { ROW_MEMBERS } from "../parse/row-members.ts";

/** A row, or a part of one, as a plain value. */
export interface PlainRow {
  readonly [member: string]: unknown;
}

/** The member of a file that contains its rows. */
export interface RowContainer {
  readonly key: string;
  readonly isList: boolean;
}

/** The first member that contains rows; "servers" if there is none. */
export function rowContainer(root: JsonNode): RowContainer {
  const found = membersOf(root).find(({ key }) => CONTAINERS.has(key));
  return { key: found?.key ?? "servers", isList: found?.value.type === "array" };
}

/** The rows of a container by name, as plain values. */
export function existingRows(root: JsonNode, { key }: RowContainer): Map<string, PlainRow> {
  const node = membersOf(root).findLast((member) => member.key === key)?.value;
  if (node?.type === "object")
    return new Map(membersOf(node).map((member) => [member.key, plain(plainValue(member.value))]));
  const rows = (node?.children ?? []).map((row) => plain(plainValue(row)));
  return new Map(rows.map((row) => [String(row["name"]), row]));
}

/** The row names of a list in order, including repeated ones. */
export function listNames(root: JsonNode, { key }: RowContainer): string[] {
  const node = membersOf(root).findLast((member) => member.key === key)?.value;
  return (node?.children ?? []).map((row) => String(plain(plainValue(row))["name"]));
}

function plain(value: unknown): PlainRow {
  return typeof value === "object" && value !== null ? (value as PlainRow) : {};
}

/** The members of a row that we do not use. */
export function foreignMembers(row: PlainRow = {}): PlainRow {
  return Object.fromEntries(Object.entries(row).filter(([member]) => !ROW_MEMBERS.has(member)));
}

/** The rows of a text in canonical form, for comparison. */
export function canonicalRows(text: string): string | undefined {
  const reading = readJsonTree(text);
  if ("problem" in reading) return undefined;
  const all = membersOf(reading.root).filter(({ key }) => CONTAINERS.has(key));
  return canonicalJson(
    all.map(({ key }) => Object.fromEntries(existingRows(reading.root, { key, isList: false }))),
  );
}

/** The indentation of one level. */
export function indentOf(text: string): string {
  return /\n([ ]{1,8}|\t)(?=[^\s])/.exec(text)?.[1] ?? "  ";
}

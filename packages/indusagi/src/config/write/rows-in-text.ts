import { canonicalJson } from "../../core/index.ts";
import { CONTAINERS } from "../parse/find-rows.ts";
import { type JsonNode, membersOf, readJsonTree, valueOf } from "../parse/json-tree.ts";
import { ROW_MEMBERS } from "../parse/row-members.ts";

/** A row, or a part of one, without its place. */
export interface PlainRow {
  readonly [member: string]: unknown;
}

/** Where a file keeps its rows. */
export interface RowsHome {
  readonly key: string;
  readonly isList: boolean;
}

/** Where a file keeps its rows: the first place that has any. */
export function rowContainer(root: JsonNode): RowsHome {
  const found = membersOf(root).find(({ key }) => CONTAINERS.has(key));
  return { key: found?.key ?? "servers", isList: found?.value.type === "array" };
}

/** The rows of one home by name, as values. */
export function existingRows(root: JsonNode, { key }: RowsHome): Map<string, PlainRow> {
  const node = membersOf(root).findLast((member) => member.key === key)?.value;
  if (node?.type === "object")
    return new Map(membersOf(node).map((member) => [member.key, plain(valueOf(member.value))]));
  const rows = (node?.children ?? []).map((row) => plain(valueOf(row)));
  return new Map(rows.map((row) => [String(row["name"]), row]));
}

/** The names of the rows of a list, in order and as often as they stand there. */
export function listNames(root: JsonNode, { key }: RowsHome): string[] {
  const node = membersOf(root).findLast((member) => member.key === key)?.value;
  return (node?.children ?? []).map((row) => String(plain(valueOf(row))["name"]));
}

function plain(value: unknown): PlainRow {
  return typeof value === "object" && value !== null ? (value as PlainRow) : {};
}

/** What a row holds that means nothing to us. */
export function foreignMembers(row: PlainRow = {}): PlainRow {
  return Object.fromEntries(Object.entries(row).filter(([member]) => !ROW_MEMBERS.has(member)));
}

/** What the rows of a text say to us, as one comparable text. */
export function rowsOf(text: string): string | undefined {
  const reading = readJsonTree(text);
  if ("problem" in reading) return undefined;
  const all = membersOf(reading.root).filter(({ key }) => CONTAINERS.has(key));
  return canonicalJson(
    all.map(({ key }) => Object.fromEntries(existingRows(reading.root, { key, isList: false }))),
  );
}

/** What one level is indented by. */
export function indentOf(text: string): string {
  return /\n([ ]{1,8}|\t)(?=[^\s])/.exec(text)?.[1] ?? "  ";
}

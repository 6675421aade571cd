import { ConfigError, type ConfigPath } from "../contract.ts";
import { findRows } from "../parse/find-rows.ts";
import { type JsonNode, plainValue, readJsonTree } from "../parse/json-tree.ts";
import { createReport, quoted } from "../report.ts";
import { type ConfigEdit, editConfigValues } from "./edit-values.ts";
import { listNames, type PlainRow, rowContainer } from "./rows-in-text.ts";

/** A row of a text as written. */
export interface WrittenRow {
  readonly name: string;
  readonly path: ConfigPath;
  readonly row: PlainRow;
}

/**
 * What to do with one row: add it, remove it, set members of it (one that is `undefined` is removed), or edit values in it by
 * paths that start at the row.
 */
export type RowChange =
  | { readonly add: PlainRow }
  | { readonly remove: true }
  | { readonly set: PlainRow }
  | { readonly edit: readonly ConfigEdit[] };

/** The rows of a text, with every `${…}` as written. Empty if the text is malformed. */
export function writtenRows(text: string): WrittenRow[] {
  const reading = readJsonTree(text);
  if ("problem" in reading || reading.root.type !== "object") return [];
  return findRows(reading.root, createReport(text)).flatMap(({ id, spot, node }) =>
    node.type === "object" ? [{ name: id, path: spot.path, row: plainValue(node) as PlainRow }] : [],
  );
}

/**
 * The text of a file with one row added, removed or changed. Everything else stays as it is. Throws a `ConfigError` if a row
 * to add exists already, if there is no row to change, or if the text is malformed.
 */
export function editServerRow(
  text: string,
  { name, change, file = "" }: { readonly name: string; readonly change: RowChange; readonly file?: string },
): string {
  const rows = writtenRows(text).filter((row) => row.name === name);
  const [found] = rows;
  if ("add" in change) {
    if (found) throw new ConfigError("invalid", file, `${quoted(file)} already has a server ${quoted(name)}`);
    return editConfigValues(text, [newRow(text, name, change.add)], file);
  }
  if (!found) throw new ConfigError("invalid", file, `${quoted(file)} has no server ${quoted(name)}`);
  const { path } = found;
  if ("remove" in change) {
    const without = editConfigValues(text, [{ path }], file);
    // An earlier row of the same name in a list would be used from now on.
    const isLeft = writtenRows(without).some((row) => row.name === name);
    return isLeft ? editServerRow(without, { name, change, file }) : without;
  }
  const edits =
    "edit" in change
      ? change.edit
      : Object.entries(change.set).map(([member, value]): ConfigEdit => ({ path: [member], value }));
  const inFile = edits.map((edit): ConfigEdit => ({ ...edit, path: [...path, ...edit.path] }));
  return editConfigValues(text, inFile, file);
}

/** Where a new row goes: into the member that has rows already, otherwise into `servers`. */
function newRow(text: string, name: string, row: PlainRow): ConfigEdit {
  const [other] = writtenRows(text);
  const reading = readJsonTree(text);
  const root: JsonNode | undefined = "root" in reading ? reading.root : undefined;
  const named = root && rowContainer(root);
  const key = other?.path.slice(0, -1) ?? [named?.key ?? "servers"];
  if (!root || !named?.isList) return { path: [...key, name], value: row };
  return { path: [named.key, listNames(root, named).length], value: { name, ...row } };
}

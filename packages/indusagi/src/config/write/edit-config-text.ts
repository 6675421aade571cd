import { canonicalJson } from "../../core/index.ts";
import { CONTAINERS } from "../parse/find-rows.ts";
import { type JsonNode, jsonc, membersOf, plainValue, readJsonTree } from "../parse/json-tree.ts";
import { ROW_MEMBERS } from "../parse/row-members.ts";
import {
  canonicalRows,
  existingRows,
  foreignMembers,
  indentOf,
  listNames,
  type PlainRow,
  type RowContainer,
  rowContainer,
} from "./rows-in-text.ts";

/** A row to write and its name. */
export interface NamedEntry {
  readonly name: string;
  readonly entry: PlainRow;
}

/**
 * The text of a file with new rows. Comments, other members, shape and indentation are kept as far as possible. Rows that
 * are not in `entries` are removed; unknown members of a row are kept.
 */
export function editConfigText(text: string, root: JsonNode, entries: readonly NamedEntry[]): string {
  const bare = text.replace(/^\uFEFF/, "");
  const whole = wholeText(bare, root, entries);
  // Each edit parses the file again. Without comments there is nothing to preserve that way.
  if (jsonc().stripComments(bare) === bare) return whole;
  const edited = editedText(bare, entries);
  return edited !== undefined && canonicalRows(edited) === canonicalRows(whole) ? edited : whole;
}

/** The text of a new file. */
export function newConfigText(entries: readonly NamedEntry[], asList: boolean): string {
  return `${JSON.stringify({ servers: rowsValue(entries, asList) }, undefined, 2)}\n`;
}

function rowsValue(
  entries: readonly NamedEntry[],
  asList: boolean,
  before?: ReadonlyMap<string, PlainRow>,
): unknown {
  const rows = entries.map(
    ({ name, entry }) => [name, { ...foreignMembers(before?.get(name)), ...entry }] as const,
  );
  return asList ? rows.map(([name, row]) => ({ name, ...row })) : Object.fromEntries(rows);
}

function wholeText(text: string, root: JsonNode, entries: readonly NamedEntry[]): string {
  const container = rowContainer(root);
  const kept = membersOf(root)
    .filter(({ key }) => key === container.key || !CONTAINERS.has(key))
    .map(({ key, value }) => [key, plainValue(value)] as const);
  const value = Object.fromEntries(kept);
  const rows = rowsValue(entries, container.isList, existingRows(root, container));
  return `${JSON.stringify({ ...value, [container.key]: rows }, undefined, indentOf(text))}\n`;
}

/** Edits the text change by change. Returns undefined if the library cannot apply one of them. */
function editedText(text: string, entries: readonly NamedEntry[]): string | undefined {
  const reading = readJsonTree(text);
  if ("problem" in reading) return undefined;
  const container = rowContainer(reading.root);
  const indent = indentOf(text);
  const formattingOptions = {
    insertSpaces: indent !== "\t",
    tabSize: indent === "\t" ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  let edited = text;
  const change = (path: (string | number)[], value: unknown, isArrayInsertion = false): void => {
    const edits = jsonc().modify(edited, path, value, { formattingOptions, isArrayInsertion });
    edited = jsonc().applyEdits(edited, edits);
  };
  try {
    for (const { key } of membersOf(reading.root))
      if (CONTAINERS.has(key) && key !== container.key) change([key], undefined);
    changeRows({ root: reading.root, container, entries, change });
    return edited;
  } catch {
    return undefined;
  }
}

interface RowChanges {
  readonly root: JsonNode;
  readonly container: RowContainer;
  readonly entries: readonly NamedEntry[];
  readonly change: (path: (string | number)[], value: unknown, isArrayInsertion?: boolean) => void;
}

function changeRows({ root, container, entries, change }: RowChanges): void {
  const before = existingRows(root, container);
  const names = container.isList ? listNames(root, container) : [...before.keys()];
  const wanted = new Map(entries.map(({ name, entry }) => [name, entry]));
  for (const [name, entry] of wanted) {
    const row = before.get(name);
    // The last of several rows with one name is used.
    const at = container.isList ? names.lastIndexOf(name) : name;
    if (!row)
      change(
        [container.key, container.isList ? -1 : name],
        container.isList ? { name, ...entry } : entry,
        container.isList,
      );
    else changeMembers([container.key, at], { row, entry, change });
  }
  // From the end, so earlier indexes stay valid.
  for (const [index, name] of [...names.entries()].toReversed()) {
    const isLast = !container.isList || names.lastIndexOf(name) === index;
    if (!wanted.has(name) || !isLast) change([container.key, container.isList ? index : name], undefined);
  }
}

function changeMembers(
  path: (string | number)[],
  {
    row,
    entry,
    change,
  }: { readonly row: PlainRow; readonly entry: PlainRow; readonly change: RowChanges["change"] },
): void {
  const known = [...new Set([...Object.keys(row), ...Object.keys(entry)])].filter(
    (member) => ROW_MEMBERS.has(member) && member !== "name",
  );
  for (const member of known) {
    const [was, is] = [row[member], entry[member]];
    if (is === undefined) change([...path, member], undefined);
    else if (was === undefined || canonicalJson(was) !== canonicalJson(is)) change([...path, member], is);
  }
}

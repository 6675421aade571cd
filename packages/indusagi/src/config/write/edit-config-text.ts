import { canonicalJson } from "../../core/index.ts";
import { CONTAINERS } from "../parse/find-rows.ts";
import { type JsonNode, jsonc, membersOf, readJsonTree, valueOf } from "../parse/json-tree.ts";
import { ROW_MEMBERS } from "../parse/row-members.ts";
import {
  existingRows,
  foreignMembers,
  indentOf,
  listNames,
  type PlainRow,
  type RowsHome,
  rowContainer,
  rowsOf,
} from "./rows-in-text.ts";

/** A row to be written, its name apart. */
export interface NamedEntry {
  readonly name: string;
  readonly entry: PlainRow;
}

/**
 * The text of a file with other rows: its comments, its other members, its shape and its indentation stay as far as
 * they can. Rows that are not named go; members of a row that mean nothing to us stay.
 */
export function editConfigText(text: string, root: JsonNode, entries: readonly NamedEntry[]): string {
  const bare = text.replace(/^\uFEFF/, "");
  const whole = wholeText(bare, root, entries);
  // Edit by edit costs a reading of the file each; without comments there is nothing it could save.
  if (jsonc().stripComments(bare) === bare) return whole;
  const edited = editedText(bare, entries);
  return edited !== undefined && rowsOf(edited) === rowsOf(whole) ? edited : whole;
}

/** The text of a file that was not there before. */
export function newConfigText(entries: readonly NamedEntry[], asList: boolean): string {
  return `${JSON.stringify({ servers: container(entries, asList) }, undefined, 2)}\n`;
}

function container(
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
  const home = rowContainer(root);
  const kept = membersOf(root)
    .filter(({ key }) => key === home.key || !CONTAINERS.has(key))
    .map(({ key, value }) => [key, valueOf(value)] as const);
  const value = Object.fromEntries(kept);
  const rows = container(entries, home.isList, existingRows(root, home));
  return `${JSON.stringify({ ...value, [home.key]: rows }, undefined, indentOf(text))}\n`;
}

/** Change by change, or nothing when the library cannot do one of them. */
function editedText(text: string, entries: readonly NamedEntry[]): string | undefined {
  const reading = readJsonTree(text);
  if ("problem" in reading) return undefined;
  const home = rowContainer(reading.root);
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
      if (CONTAINERS.has(key) && key !== home.key) change([key], undefined);
    changeRows({ root: reading.root, home, entries, change });
    return edited;
  } catch {
    return undefined;
  }
}

interface RowChanges {
  readonly root: JsonNode;
  readonly home: RowsHome;
  readonly entries: readonly NamedEntry[];
  readonly change: (path: (string | number)[], value: unknown, isArrayInsertion?: boolean) => void;
}

function changeRows({ root, home, entries, change }: RowChanges): void {
  const before = existingRows(root, home);
  const names = home.isList ? listNames(root, home) : [...before.keys()];
  const wanted = new Map(entries.map(({ name, entry }) => [name, entry]));
  for (const [name, entry] of wanted) {
    const row = before.get(name);
    // Of rows with one name the last counts.
    const at = home.isList ? names.lastIndexOf(name) : name;
    if (!row)
      change([home.key, home.isList ? -1 : name], home.isList ? { name, ...entry } : entry, home.isList);
    else changeMembers([home.key, at], { row, entry, change });
  }
  // From the end, so that the indexes before stay true.
  for (const [index, name] of [...names.entries()].toReversed()) {
    const isLast = !home.isList || names.lastIndexOf(name) === index;
    if (!wanted.has(name) || !isLast) change([home.key, home.isList ? index : name], undefined);
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

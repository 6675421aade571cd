import { lstatSync, readSync, statSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isRecord, readPrivateFile } from "indusagi/core";
import { EXTENSION_KEYS, type ListedItem, type ToolDefinition } from "indusagi/interop";
import { hashNamedFiles, type StoreSchema } from "../../state/index.ts";
import type {
  CatalogueEntry,
  CatalogueHead,
  KnownIntroduction,
  KnownListing,
  KnownLists,
} from "./catalogue-entry.ts";

/** The largest file that is read or written. The largest listing of a real server is a tenth of that. */
export const MAX_ENTRY_BYTES: number = 8 * 1024 * 1024;
/** How many files to keep. Beyond that the least recently written are removed. */
export const MAX_ENTRIES = 500;

export function entryPath(folder: string, launch: string): string {
  return join(folder, `${launch}.json`);
}

/**
 * The file of one launch. If it would be too large, it drops the lists for clients with extensions, the resources, then the prompts, then the whole listing.
 * `onFirstFormat` is called when a file of the first format is read.
 */
export function entrySchema(launch: string, onFirstFormat: () => void): StoreSchema<CatalogueEntry> {
  return {
    parse: (text) => {
      if (text.startsWith(`{"format":${FIRST_FORMAT},`)) onFirstFormat();
      return parseCatalogueEntry(launch, text);
    },
    text: (entry) => catalogueEntryText(launch, entry),
    damage: "is damaged",
    maxBytes: MAX_ENTRY_BYTES,
    smaller: withoutAList,
    // A damaged file counts as absent, so waiting for the disk would only delay calls.
    canLose: true,
  };
}

/** The next run does not know a dropped list. */
function withoutAList({ listing, ...rest }: CatalogueEntry): CatalogueEntry | undefined {
  if (!listing) return undefined;
  const { classes, ...plain } = listing;
  if (classes) return { ...rest, listing: plain };
  const { resources, templates, prompts, ...bare } = plain;
  if (resources || templates) return { ...rest, listing: { ...bare, prompts } };
  return prompts ? { ...rest, listing: bare } : rest;
}

/** Holds the first line of nearly every file. */
const HEAD_BYTES = 16 * 1024;

/** Reads only the first line of a file. Undefined if the file cannot be used. */
export function readHead(path: string, launch: string): CatalogueHead | undefined {
  const reading = readPrivateFile(path, (handle, { size }) => {
    if (size > MAX_ENTRY_BYTES) return { problem: "is too large" };
    return { line: firstLine(handle, size) };
  });
  return "line" in reading ? parseCatalogueHead(launch, reading.line) : undefined;
}

function firstLine(handle: number, size: number): string {
  const bytes = Buffer.alloc(Math.min(size, HEAD_BYTES));
  const read = bytes.subarray(0, readSync(handle, bytes, { position: 0 }));
  const end = read.indexOf("\n");
  if (end >= 0) return read.toString("utf8", 0, end);
  const all = Buffer.alloc(size);
  const [line = ""] = all.toString("utf8", 0, readSync(handle, all, { position: 0 })).split("\n", 1);
  return line;
}

/** How old a file in use may get before it is touched. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** Keeps a file with current content from being removed as the oldest. False if it must be written again. */
export function keepEntryFile(path: string): boolean {
  try {
    const now = new Date();
    const { mtimeMs } = lstatSync(path);
    if (now.getTime() - mtimeMs > MAX_AGE_MS) utimesSync(path, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Removes the oldest files beyond `MAX_ENTRIES`. Never fails: another process may remove them at the same time. */
export function pruneEntries(folder: string, keep: number = MAX_ENTRIES): void {
  try {
    const paths = hashNamedFiles(folder);
    if (paths.length <= keep) return;
    const files = paths.map((path) => ({ path, writtenMs: writtenMs(path) }));
    files.sort((a, b) => b.writtenMs - a.writtenMs);
    for (const { path } of files.slice(keep)) unlinkSync(path);
  } catch {
    // See above.
  }
}

function writtenMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Increment when the shape changes. Files of the first format, one line with everything, are still read. */
const FORMAT = 2;
const FIRST_FORMAT = 1;

/**
 * The text of a file: a line without the lists and, if the server was listed, a line with them. The launch is repeated inside,
 * so a file under a wrong name is never used.
 */
export function catalogueEntryText(launch: string, entry: CatalogueEntry): string {
  const { listing, ...rest } = entry;
  const head = { format: FORMAT, launch, ...rest };
  if (!listing) return `${JSON.stringify(head)}\n`;
  const { tools, prompts, resources, templates, classes, ...introduction } = listing;
  // Absent in the files of earlier versions, which ignore it.
  const lists = { tools, prompts, resources, templates, classes };
  return `${JSON.stringify({ ...head, listing: introduction })}\n${JSON.stringify(lists)}\n`;
}

/** The entry in a text. Undefined if the text is damaged or belongs to another launch. */
export function parseCatalogueEntry(launch: string, text: string): CatalogueEntry | undefined {
  const [first = "", second] = text.split("\n", 2);
  const found = headRecord(launch, first);
  const head = found && headOf(found);
  if (!head?.listing) return head as CatalogueEntry | undefined;
  const lists = found?.["format"] === FORMAT ? recordOf(parsed(second ?? "")) : recordOf(found?.["listing"]);
  const listing = lists && listingOf(head.listing, lists);
  return listing && { ...head, listing };
}

/** The head in the first line of a text. */
export function parseCatalogueHead(launch: string, line: string): CatalogueHead | undefined {
  const found = headRecord(launch, line);
  return found && headOf(found);
}

function headRecord(launch: string, line: string): JsonRecord | undefined {
  const found = recordOf(parsed(line));
  const isOurs = found?.["format"] === FORMAT || found?.["format"] === FIRST_FORMAT;
  return isOurs && found["launch"] === launch ? found : undefined;
}

function headOf(found: JsonRecord): CatalogueHead | undefined {
  const { server, failures, interrupted, readyMs } = found;
  if (typeof server !== "string" || !isCount(failures)) return undefined;
  if (readyMs !== undefined && !isCount(readyMs)) return undefined;
  if (interrupted !== undefined && !isCount(interrupted)) return undefined;
  const listing = found["listing"] === undefined ? undefined : introductionOf(found["listing"]);
  if (!listing && found["listing"] !== undefined) return undefined;
  return { server, failures, listing, readyMs, ...(interrupted !== undefined && { interrupted }) };
}

function introductionOf(value: unknown): KnownIntroduction | undefined {
  const found = recordOf(value);
  const capabilities = recordOf(found?.["capabilities"]);
  if (!found || !capabilities) return undefined;
  const { instructions } = found;
  const serverInfo = recordOf(found["serverInfo"]);
  if (instructions !== undefined && typeof instructions !== "string") return undefined;
  return {
    ...(instructions !== undefined && { instructions }),
    capabilities,
    ...(serverInfo && { serverInfo }),
  };
}

function listingOf(introduction: KnownIntroduction, lists: JsonRecord): KnownListing | undefined {
  const { tools, ...known } = listsOf(lists) ?? {};
  if (!tools) return undefined;
  const classes = classesOf(recordOf(lists["classes"]));
  return { tools, ...known, ...(classes && { classes }), ...introduction };
}

/** The lists in a record. Undefined if one is damaged. */
function listsOf(lists: JsonRecord): KnownLists | undefined {
  const known: { -readonly [kind in keyof KnownLists]: readonly ListedItem[] } = {};
  for (const kind of ["tools", "prompts", "resources", "templates"] as const) {
    const items = lists[kind];
    if (items === undefined) continue;
    if (!areItems(items)) return undefined;
    known[kind] = items;
  }
  return known as { readonly tools?: readonly ToolDefinition[] };
}

/** A damaged one counts as absent: the server is asked again. */
function classesOf(found: JsonRecord | undefined): KnownListing["classes"] {
  if (!found) return undefined;
  const classes = EXTENSION_KEYS.flatMap((extensions) => {
    const record = recordOf(found[extensions]);
    const lists = record && listsOf(record);
    return lists ? [[extensions, lists] as const] : [];
  });
  return classes.length > 0 ? Object.fromEntries(classes) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface JsonRecord {
  readonly [member: string]: unknown;
}

function recordOf(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function areItems(value: unknown): value is readonly ListedItem[] {
  return Array.isArray(value) && value.every((item) => recordOf(item) !== undefined);
}

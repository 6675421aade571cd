import { isRecord } from "indusagi/core";
import type { ListedItem, ToolDefinition } from "indusagi/interop";
import type { CatalogueEntry, CatalogueHead, KnownIntroduction, KnownListing } from "./catalogue-entry.ts";

/** A change of the shape of the files needs another number. Files of the first shape, one line with everything, are read too. */
const FORMAT = 2;
const FIRST_FORMAT = 1;

/**
 * An entry as the text of its file: a line without the lists, then a line with them, if the server was listed. The launch is
 * repeated inside: a file under a wrong name is never used.
 */
export function entryText(launch: string, entry: CatalogueEntry): string {
  const { listing, ...rest } = entry;
  const head = { format: FORMAT, launch, ...rest };
  if (!listing) return `${JSON.stringify(head)}\n`;
  const { tools, prompts, resources, templates, ...introduction } = listing;
  const lists = { tools, prompts, resources, templates };
  return `${JSON.stringify({ ...head, listing: introduction })}\n${JSON.stringify(lists)}\n`;
}

/** The entry in a text, or nothing if the text is damaged or belongs to another launch. */
export function parseEntry(launch: string, text: string): CatalogueEntry | undefined {
  const [first = "", second] = text.split("\n", 2);
  const found = headRecord(launch, first);
  const head = found && headOf(found);
  if (!head?.listing) return head as CatalogueEntry | undefined;
  const lists = found?.["format"] === FORMAT ? recordOf(parsed(second ?? "")) : recordOf(found?.["listing"]);
  const listing = lists && listingOf(head.listing, lists);
  return listing && { ...head, listing };
}

/** Whether a text is of the first shape, whose head cannot be read alone. */
export function isFirstFormat(text: string): boolean {
  return text.startsWith(`{"format":${FIRST_FORMAT},`);
}

/** The head in the first line of a text. */
export function parseHead(launch: string, line: string): CatalogueHead | undefined {
  const found = headRecord(launch, line);
  return found && headOf(found);
}

function headRecord(launch: string, line: string): JsonRecord | undefined {
  const found = recordOf(parsed(line));
  const isOurs = found?.["format"] === FORMAT || found?.["format"] === FIRST_FORMAT;
  return isOurs && found["launch"] === launch ? found : undefined;
}

function headOf(found: JsonRecord): CatalogueHead | undefined {
  const { server, failures, readyMs } = found;
  if (typeof server !== "string" || !isCount(failures)) return undefined;
  if (readyMs !== undefined && !isCount(readyMs)) return undefined;
  const listing = found["listing"] === undefined ? undefined : introductionOf(found["listing"]);
  if (!listing && found["listing"] !== undefined) return undefined;
  return { server, failures, ...(listing && { listing }), ...(readyMs !== undefined && { readyMs }) };
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
  const { tools, ...others } = lists;
  if (!areItems(tools)) return undefined;
  const known: { [kind in "prompts" | "resources" | "templates"]?: readonly ListedItem[] } = {};
  for (const kind of ["prompts", "resources", "templates"] as const) {
    const items = others[kind];
    if (items === undefined) continue;
    if (!areItems(items)) return undefined;
    known[kind] = items;
  }
  return { tools: tools as readonly ToolDefinition[], ...known, ...introduction };
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

import type { ListedItem, ServerListing, ToolDefinition } from "indusagi/interop";

/** What is remembered of one launch. */
export interface CatalogueEntry {
  /** The id of the server at the last write; for people who look into the file. */
  readonly server: string;
  /** The last good listing. Absent if the server was never listed. */
  readonly listing?: ServerListing;
  /** How long its last good start took, from the start of its process to the listing of its tools, in milliseconds. */
  readonly readyMs?: number;
  /** Starts that failed since the last good one. */
  readonly failures: number;
}

/** A change of the shape of the files needs another number; files with a different one are not read. */
const FORMAT = 1;

/** An entry as the text of its file. The launch is repeated inside: a file under a wrong name is never used. */
export function entryText(launch: string, entry: CatalogueEntry): string {
  return `${JSON.stringify({ format: FORMAT, launch, ...entry })}\n`;
}

/** The entry in a text, or nothing if the text is damaged or belongs to another launch. */
export function parseEntry(launch: string, text: string): CatalogueEntry | undefined {
  const found = recordOf(parsed(text));
  if (!found || found["format"] !== FORMAT || found["launch"] !== launch) return undefined;
  const { server, failures, readyMs } = found;
  if (typeof server !== "string" || !isCount(failures)) return undefined;
  if (readyMs !== undefined && !isCount(readyMs)) return undefined;
  const listing = found["listing"] === undefined ? undefined : parseListing(found["listing"]);
  if (!listing && found["listing"] !== undefined) return undefined;
  return { server, failures, ...(listing && { listing }), ...(readyMs !== undefined && { readyMs }) };
}

/** A start takes this much longer or shorter by chance. */
const CHANCE = 1.25;

/** Whether an entry tells nothing that the other does not tell. The times of two good starts are never quite the same. */
export function saysTheSame(before: CatalogueEntry, entry: CatalogueEntry): boolean {
  if (before.failures !== entry.failures || !isNear(before.readyMs, entry.readyMs)) return false;
  // Also if there is none. A start that is not listed yet keeps the listing of the one before.
  if (before.listing === entry.listing) return true;
  if (!before.listing || !entry.listing) return false;
  return JSON.stringify(inOrder(before.listing)) === JSON.stringify(inOrder(entry.listing));
}

function isNear(a: number | undefined, b: number | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Math.max(a, b) <= Math.max(1, Math.min(a, b)) * CHANCE;
}

/** The members in one order, which depends on nothing but their names. */
function inOrder(listing: ServerListing): unknown {
  const { tools, prompts, resources, templates, instructions, capabilities, serverInfo } = listing;
  // Some servers have another version at each start, so that only its presence counts.
  const isNamed = serverInfo !== undefined;
  return [tools, prompts, resources, templates, instructions ?? null, capabilities, isNamed];
}

function parseListing(value: unknown): ServerListing | undefined {
  const found = recordOf(value);
  const capabilities = recordOf(found?.["capabilities"]);
  if (!found || !capabilities) return undefined;
  const { tools, prompts, resources, templates, instructions } = found;
  const serverInfo = recordOf(found["serverInfo"]);
  if (![tools, prompts, resources, templates].every(areItems)) return undefined;
  if (instructions !== undefined && typeof instructions !== "string") return undefined;
  return {
    tools: tools as readonly ToolDefinition[],
    prompts: prompts as readonly ListedItem[],
    resources: resources as readonly ListedItem[],
    templates: templates as readonly ListedItem[],
    ...(instructions !== undefined && { instructions }),
    capabilities,
    ...(serverInfo && { serverInfo }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): { readonly [member: string]: unknown } | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as { readonly [member: string]: unknown }) : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function areItems(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => recordOf(item) !== undefined);
}

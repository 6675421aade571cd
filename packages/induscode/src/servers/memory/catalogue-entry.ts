import type { ListedItem, ServerListing, ToolDefinition } from "indusagi/interop";

/** How a server presented itself when it was last listed. */
export type KnownIntroduction = Pick<ServerListing, "instructions" | "capabilities" | "serverInfo">;

/** What a server offered when it was last listed. A list that is absent was never read, which is not the same as an empty one. */
export interface KnownListing extends KnownIntroduction {
  readonly tools: readonly ToolDefinition[];
  readonly prompts?: readonly ListedItem[] | undefined;
  readonly resources?: readonly ListedItem[] | undefined;
  readonly templates?: readonly ListedItem[] | undefined;
}

/** What is remembered of one launch, without the lists: it is small, so that reading it of many servers takes little time. */
export interface CatalogueHead {
  /** The id of the server at the last write; for people who look into the file. */
  readonly server: string;
  /** Absent if the server was never listed. */
  readonly listing?: KnownIntroduction;
  /** How long its last good start took, from the start of its process to the listing of its tools, in milliseconds. */
  readonly readyMs?: number;
  /** Starts that failed since the last good one. */
  readonly failures: number;
}

/** What is remembered of one launch. */
export interface CatalogueEntry extends CatalogueHead {
  /** The last good listing. Absent if the server was never listed. */
  readonly listing?: KnownListing;
}

/** A start takes this much longer or shorter by chance. */
const CHANCE = 1.25;

/** Whether an entry tells nothing that the other does not tell. The times of two good starts are never quite the same. */
export function addsNothing(before: CatalogueEntry, entry: CatalogueEntry): boolean {
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
function inOrder(listing: KnownListing): unknown {
  const { tools, prompts, resources, templates, instructions, capabilities, serverInfo } = listing;
  // Some servers have another version at each start, so that only its presence counts.
  const isNamed = serverInfo !== undefined;
  return [tools, prompts, resources, templates, instructions ?? null, capabilities, isNamed];
}

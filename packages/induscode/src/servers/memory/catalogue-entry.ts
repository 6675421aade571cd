import { isDeepStrictEqual } from "node:util";
import type { ExtensionKey, ListedItem, ServerListing, ToolDefinition } from "indusagi/interop";

/** How a server presented itself when it was last listed. */
export type KnownIntroduction = Pick<ServerListing, "instructions" | "capabilities" | "serverInfo">;

/** What a server offered when it was last listed. An absent list was never read; it is not an empty one. */
export interface KnownListing extends KnownIntroduction {
  readonly tools: readonly ToolDefinition[];
  readonly prompts?: readonly ListedItem[] | undefined;
  readonly resources?: readonly ListedItem[] | undefined;
  readonly templates?: readonly ListedItem[] | undefined;
  /** What it listed for clients with extensions, by what was declared for the lists. */
  readonly classes?: { readonly [extensions: ExtensionKey]: KnownLists } | undefined;
}

/** The lists of a server for clients with some extensions. An absent one is the same as for all others. */
export type KnownLists = Partial<Pick<KnownListing, "tools" | "prompts" | "resources" | "templates">>;

/** What is remembered about a launch, without the lists: small, so it is quick to read for many servers. */
export interface CatalogueHead {
  /** The id of the server at the last write, for people who read the file. */
  readonly server: string;
  /** Absent if the server was never listed. */
  readonly listing?: KnownIntroduction | undefined;
  /** How long its last good start took, from the start of its process to the listing of its tools, in milliseconds. */
  readonly readyMs?: number | undefined;
  /** Starts that failed since the last good one. */
  readonly failures: number;
  /** Starts since the last good one that the end of a run interrupted before the server had answered. */
  readonly interrupted?: number | undefined;
}

/** What is remembered about a launch. */
export interface CatalogueEntry extends CatalogueHead {
  /** The last good listing. Absent if the server was never listed. */
  readonly listing?: KnownListing | undefined;
}

/** The times of two good starts differ by this factor by chance. */
const CHANCE = 1.25;

/** Whether an entry adds nothing to the one before. */
export function addsNothing(before: CatalogueEntry, entry: CatalogueEntry): boolean {
  if (before.failures !== entry.failures || !isNear(before.readyMs, entry.readyMs)) return false;
  if ((before.interrupted ?? 0) !== (entry.interrupted ?? 0)) return false;
  // Or neither has one. A start that is not listed yet keeps the listing before it.
  if (before.listing === entry.listing) return true;
  if (!before.listing || !entry.listing) return false;
  return isDeepStrictEqual(compared(before.listing), compared(entry.listing));
}

function isNear(a: number | undefined, b: number | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Math.max(a, b) <= Math.max(1, Math.min(a, b)) * CHANCE;
}

/** What counts. Not compared as text: the texts of many servers would take as much memory as their lists. */
function compared({ serverInfo, ...listing }: KnownListing): unknown {
  const { tools, prompts, resources, templates, classes, instructions, capabilities } = listing;
  // Some servers report another version at each start, so only its presence counts.
  const isNamed = serverInfo !== undefined;
  return [tools, prompts, resources, templates, classes, instructions, capabilities, isNamed];
}

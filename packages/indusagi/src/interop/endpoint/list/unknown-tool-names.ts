import { closestNames, showName } from "../../../core/index.ts";
import type { ServerConfig, ToolListing } from "../../contract/index.ts";

/** The members of a row that name tools, by the server's own names. */
type NamingRow = Pick<ServerConfig, "includeTools" | "excludeTools" | "toolOverrides">;

/** More would hide the other notes. */
const MAX_SHOWN = 5;

/**
 * One note for each member of a row that names tools the server does not have, with the most similar name. A misspelled name in
 * `excludeTools` leaves the tool available, so the user must know. A truncated listing proves nothing.
 */
export async function unknownToolNotes(
  row: NamingRow,
  listed: () => ToolListing,
): Promise<readonly string[]> {
  const { includeTools = [], excludeTools = [], toolOverrides = {} } = row;
  const members = { includeTools, excludeTools, toolOverrides: Object.keys(toolOverrides) };
  if (Object.values(members).every((names) => names.length === 0)) return [];
  const listing = listed();
  if (listing.truncated) return [];
  const offered = listing.tools.map(({ ref }) => ref.name);
  const known = new Set([...offered, ...listing.skipped.flatMap(({ name }) => name ?? [])]);
  const notes: string[] = [];
  for (const [member, names] of Object.entries(members)) {
    const unknown = [...new Set(names)].filter((name) => !known.has(name));
    if (unknown.length > 0) notes.push(await noteOf(member, { unknown, offered }));
  }
  return notes;
}

interface UnknownNames {
  readonly unknown: readonly string[];
  /** Candidates for a similar name. */
  readonly offered: readonly string[];
}

async function noteOf(member: string, { unknown, offered }: UnknownNames): Promise<string> {
  const shown: string[] = [];
  for (const name of unknown.slice(0, MAX_SHOWN)) {
    const [similar] = await closestNames(name, offered);
    const hint = similar === undefined ? "" : ` (did you mean ${JSON.stringify(showName(similar))}?)`;
    shown.push(`${JSON.stringify(showName(name))}${hint}`);
  }
  const rest = unknown.length > MAX_SHOWN ? ` and ${unknown.length - MAX_SHOWN} more` : "";
  const what = unknown.length === 1 ? "a tool" : "tools";
  return `"${member}" names ${what} that the server does not have: ${shown.join(", ")}${rest}`;
}

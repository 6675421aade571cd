import { basename, dirname, join } from "node:path";
import type { ToolContext } from "../../../contract/index.ts";
import { shownPath } from "./tool-path.ts";

const MOST = 3;
const MAX_FOLDER = 5_000;

/** Up to three neighbours whose names are close to that of a missing file, closest first. */
export async function suggestPaths(ctx: ToolContext, path: string): Promise<string[]> {
  const folder = dirname(path);
  try {
    const entries = await ctx.fs.readDir(folder);
    const names = entries.slice(0, MAX_FOLDER).map((entry) => entry.name);
    return (await closestNames(basename(path), names)).map((name) => shownPath(ctx, join(folder, name)));
  } catch {
    return []; // No such folder, or none that may be read: there is nothing to suggest.
  }
}

/** Names within a third of the wanted name's length in edits, or that contain it, or that it contains. */
export async function closestNames(wanted: string, names: readonly string[]): Promise<string[]> {
  const { distance } = await import("fastest-levenshtein");
  const target = wanted.toLowerCase();
  const allowed = Math.max(1, Math.floor(target.length / 3));
  const edits = (name: string): number => (containEachOther(target, name) ? 1 : distance(target, name));
  return names
    .map((name) => ({ name, edits: edits(name.toLowerCase()) }))
    .filter((candidate) => candidate.edits <= allowed)
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

function containEachOther(a: string, b: string): boolean {
  return a.length > 2 && b.length > 2 && (a.includes(b) || b.includes(a));
}

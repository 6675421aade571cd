import { basename, dirname, join } from "node:path";
import { closestNames } from "../../../../core/index.ts";
import type { ToolContext } from "../../../contract/index.ts";
import { shownPath } from "./tool-path.ts";

const MAX_FOLDER = 5_000;

/** Up to three paths in the same folder with names similar to a missing one, most similar first. */
export async function suggestPaths(ctx: ToolContext, path: string): Promise<string[]> {
  const folder = dirname(path);
  try {
    const entries = await ctx.fs.readDir(folder);
    const names = entries.slice(0, MAX_FOLDER).map((entry) => entry.name);
    return (await closestNames(basename(path), names)).map((name) => shownPath(ctx, join(folder, name)));
  } catch {
    return []; // The folder does not exist or cannot be read.
  }
}

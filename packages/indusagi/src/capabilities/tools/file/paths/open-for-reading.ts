import { FsError, type FsFile, type ToolContext } from "../../../contract/index.ts";
import { pathVariants } from "./path-variants.ts";
import { suggestPaths } from "./suggest-paths.ts";
import { shownPath, toolPath } from "./tool-path.ts";

/** A file that was asked for. */
export interface FoundFile {
  readonly file: FsFile;
  /** The path it was found under, fit to be shown and sent again. */
  readonly shown: string;
}

/** Opens the file an argument means, in another common spelling if need be; a missing one is answered with its neighbours. */
export async function openForReading(ctx: ToolContext, path: string): Promise<FoundFile> {
  const absolute = toolPath(ctx, path);
  const shown = shownPath(ctx, absolute);
  try {
    return { file: await ctx.fs.open(absolute), shown };
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    if (thrown.kind === "is_directory") {
      throw new FsError("is_directory", absolute, `${shown} is a directory; use ls to list it`);
    }
    if (thrown.kind !== "not_found") throw thrown;
    return (await openVariant(ctx, path)) ?? Promise.reject(await missing(ctx, absolute));
  }
}

async function openVariant(ctx: ToolContext, path: string): Promise<FoundFile | undefined> {
  for (const variant of pathVariants(path)) {
    const absolute = toolPath(ctx, variant);
    try {
      return { file: await ctx.fs.open(absolute), shown: shownPath(ctx, absolute) };
    } catch {
      // Not this spelling either.
    }
  }
  return undefined;
}

/** The error for a path that is not there, naming up to three that are. */
export async function missing(ctx: ToolContext, absolute: string): Promise<FsError> {
  const neighbours = await suggestPaths(ctx, absolute);
  const hint = neighbours.length > 0 ? `; did you mean ${neighbours.join(" or ")}?` : "";
  return new FsError("not_found", absolute, `there is no ${shownPath(ctx, absolute)}${hint}`);
}

import { isAbsolute, relative, sep } from "node:path";
import { escapeForDisplay } from "../../../core/index.ts";
import { FsError, type ToolContext } from "../../contract/index.ts";
import { missing } from "../file/paths/open-for-reading.ts";
import { shownPath, toolPath } from "../file/paths/tool-path.ts";
import type { SearchRoot } from "./search-job.ts";

/** A root with the words a model reads for it. */
export interface OpenedRoot extends SearchRoot {
  /** Relative to the session's folder where it is inside, else absolute; fit to be shown. */
  readonly shown: string;
  readonly size: number;
}

/**
 * Finds the folder or file an argument means. `.gitignore` files count from the session's folder down: what the project
 * excludes stays excluded when only a part of it is searched.
 */
export async function openSearchRoot(ctx: ToolContext, path: string): Promise<OpenedRoot> {
  const asked = toolPath(ctx, path);
  const real = await ctx.fs.resolve(asked);
  const info = await statOrMissing(ctx, asked, real);
  const home = await realHome(ctx);
  const shown = escapeForDisplay(shownPath({ cwd: home }, real).replaceAll(sep, "/"));
  if (!info.isFile && !info.isDirectory) {
    throw new FsError("not_a_file", asked, `${shown} is neither a folder nor a regular file`);
  }
  return {
    path: real,
    isFile: info.isFile,
    rulesFrom: isBelow(real, home) ? home : real,
    shown,
    size: info.size,
  };
}

/** The root in a sentence. */
export function where(root: OpenedRoot): string {
  return root.shown === "." ? "the working folder" : root.shown;
}

async function statOrMissing(
  ctx: ToolContext,
  asked: string,
  real: string,
): ReturnType<ToolContext["fs"]["stat"]> {
  try {
    return await ctx.fs.stat(real);
  } catch (thrown) {
    throw thrown instanceof FsError && thrown.kind === "not_found" ? await missing(ctx, asked) : thrown;
  }
}

/** The session's folder without links; as it is when it may not be looked at. */
async function realHome(ctx: ToolContext): Promise<string> {
  try {
    return await ctx.fs.resolve(ctx.cwd);
  } catch {
    return ctx.cwd;
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

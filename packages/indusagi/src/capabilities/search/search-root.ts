import { sep } from "node:path";
import { escapeForDisplay, isInside } from "../../core/index.ts";
import { FsError, type ToolContext } from "../contract/index.ts";
import { missingPath } from "../file/paths/open-for-reading.ts";
import { shownPath, toolPath } from "../file/paths/tool-path.ts";
import type { SearchRoot } from "./search-job.ts";

export interface OpenedRoot extends SearchRoot {
  /** As a model sees it: relative inside the session's folder, else absolute. */
  readonly shown: string;
  readonly size: number;
}

/**
 * Resolves the argument to a folder or file. `.gitignore` files apply from the session's folder on, so a search in a
 * part of a project leaves out the same files.
 */
export async function openSearchRoot(ctx: ToolContext, path: string): Promise<OpenedRoot> {
  const asked = toolPath(ctx, path);
  const real = await ctx.fs.resolve(asked);
  const info = await statOrMissing(ctx, asked, real);
  const cwd = await realCwd(ctx);
  const shown = escapeForDisplay(shownPath({ cwd }, real).replaceAll(sep, "/"));
  if (!info.isFile && !info.isDirectory) {
    throw new FsError("not_a_file", asked, `${shown} is neither a folder nor a regular file`);
  }
  return {
    path: real,
    isFile: info.isFile,
    rulesFrom: isInside(real, [cwd]) ? cwd : real,
    shown,
    size: info.size,
  };
}

/** The root as a phrase in a sentence. */
export function describeRoot(root: OpenedRoot): string {
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
    throw thrown instanceof FsError && thrown.kind === "not_found" ? await missingPath(ctx, asked) : thrown;
  }
}

/** The session's folder with links followed, or unchanged if it cannot be resolved. */
async function realCwd(ctx: ToolContext): Promise<string> {
  try {
    return await ctx.fs.resolve(ctx.cwd);
  } catch {
    return ctx.cwd;
  }
}

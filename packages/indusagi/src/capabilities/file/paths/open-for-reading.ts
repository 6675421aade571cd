import { basename, dirname, join } from "node:path";
import { closestNames } from "../../../core/index.ts";
import { FsError, type FsFile, type ToolContext } from "../../contract/index.ts";
import { shownPath, toolPath } from "./tool-path.ts";

export interface FoundFile {
  readonly file: FsFile;
  /** The path it was found under, as a model sees it and can send it again. */
  readonly shown: string;
}

/** Opens a file, or tries other common spellings of its path. The error for a missing file suggests similar names. */
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
    return (await openVariant(ctx, path)) ?? Promise.reject(await missingPath(ctx, absolute));
  }
}

async function openVariant(ctx: ToolContext, path: string): Promise<FoundFile | undefined> {
  for (const variant of pathVariants(path)) {
    const absolute = toolPath(ctx, variant);
    try {
      return { file: await ctx.fs.open(absolute), shown: shownPath(ctx, absolute) };
    } catch {
      // Try the next spelling.
    }
  }
  return undefined;
}

/** The error for a path that does not exist, with up to three similar ones that do. */
export async function missingPath(ctx: ToolContext, absolute: string): Promise<FsError> {
  const similar = await suggestPaths(ctx, absolute);
  const hint = similar.length > 0 ? `; did you mean ${similar.join(" or ")}?` : "";
  return new FsError("not_found", absolute, `there is no ${shownPath(ctx, absolute)}${hint}`);
}

const MAX_FOLDER = 5_000;

/** Up to three paths in the same folder with names similar to a missing one, most similar first. */
async function suggestPaths(ctx: ToolContext, path: string): Promise<string[]> {
  const folder = dirname(path);
  try {
    const entries = await ctx.fs.readDir(folder);
    const names = entries.slice(0, MAX_FOLDER).map((entry) => entry.name);
    return (await closestNames(basename(path), names)).map((name) => shownPath(ctx, join(folder, name)));
  } catch {
    return []; // The folder does not exist or cannot be read.
  }
}

/**
 * Other spellings of a path that people and models confuse with it: without the leading `@` of a mention, the other
 * Unicode form of an accented letter, the narrow space and the curly apostrophe that macOS uses in screenshot names.
 */
export function pathVariants(path: string): string[] {
  const variants = [
    path.startsWith("@") ? path.slice(1) : path,
    path.normalize("NFC"),
    path.normalize("NFD"),
    path.replace(/ (AM|PM)\b/g, "\u202f$1"),
    path.replaceAll("\u202f", " "),
    path.replaceAll("'", "\u2019"),
    path.replaceAll("\u2019", "'"),
  ];
  return [...new Set(variants)].filter((variant) => variant !== path && variant !== "");
}

import { join } from "node:path";
import { escapeForDisplay } from "../../core/index.ts";
import { type ToolResult, textResult } from "../../runtime/index.ts";
import { type FsDirEntry, FsError, type ToolContext } from "../contract/index.ts";
import { clamp } from "../kernel/index.ts";
import { byteSize } from "./byte-size.ts";
import { missingPath } from "./paths/open-for-reading.ts";
import { shownPath, toolPath } from "./paths/tool-path.ts";

export interface LsInput {
  readonly path?: string;
  readonly showHidden?: boolean;
}

interface Row {
  readonly kind: "dir" | "file" | "link" | "other";
  readonly size: string;
  readonly name: string;
}

const MAX_ENTRIES = 1000;
/** More in parallel can exhaust the file descriptors of some systems. */
const PARALLEL_STATS = 32;

export async function runLs(input: LsInput, ctx: ToolContext): Promise<ToolResult> {
  const path = toolPath(ctx, input.path ?? ".");
  return list(path, await entriesOf(ctx, path), { ctx, showHidden: input.showHidden ?? false });
}

async function entriesOf(ctx: ToolContext, path: string): Promise<readonly FsDirEntry[]> {
  try {
    return await ctx.fs.readDir(path);
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    if (thrown.kind === "not_found") throw await missingPath(ctx, path);
    // Suggest `read` only if the path itself is a file. A file in the middle of the path keeps its own error.
    if (thrown.kind !== "not_directory" || !(await ctx.fs.exists(path))) throw thrown;
    throw new FsError(
      "not_directory",
      path,
      `${shownPath(ctx, path)} is not a folder; use read to see a file`,
    );
  }
}

interface ListOptions {
  readonly ctx: ToolContext;
  readonly showHidden: boolean;
}

async function list(
  path: string,
  all: readonly FsDirEntry[],
  { ctx, showHidden }: ListOptions,
): Promise<ToolResult> {
  const visible = showHidden ? all : all.filter((entry) => !entry.name.startsWith("."));
  const sorted = [...visible].sort(inListOrder);
  const rows = await rowsOf(ctx, path, sorted.slice(0, MAX_ENTRIES));
  const hidden = all.length - visible.length;
  const facts = [
    ...(hidden > 0 ? [`${hidden} hidden; see them with showHidden`] : []),
    ...(sorted.length > rows.length ? [`only the first ${rows.length} shown`] : []),
  ];
  const count = sorted.length === 1 ? "1 entry" : `${sorted.length} entries`;
  const header = `${shownPath(ctx, path)}: ${count}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`;
  const width = Math.max(0, ...rows.map((row) => row.size.length));
  const lines = rows.map((row) => `${row.kind.padEnd(5)} ${row.size.padStart(width)}  ${row.name}`);
  return textResult(clamp([header, ...lines].join("\n"), { ...ctx.budget, kind: "head" }));
}

/** Folders first, then by name ignoring case; names that differ only in case have a fixed order. */
function inListOrder(a: FsDirEntry, b: FsDirEntry): number {
  const byKind = Number(b.kind === "directory") - Number(a.kind === "directory");
  if (byKind !== 0) return byKind;
  const [x, y] = [a.name.toLowerCase(), b.name.toLowerCase()];
  if (x !== y) return x < y ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

async function rowsOf(ctx: ToolContext, folder: string, entries: readonly FsDirEntry[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < entries.length; at += PARALLEL_STATS) {
    ctx.signal.throwIfAborted();
    const group = entries.slice(at, at + PARALLEL_STATS);
    rows.push(...(await Promise.all(group.map((entry) => rowOf(ctx, folder, entry)))));
  }
  return rows;
}

async function rowOf(ctx: ToolContext, folder: string, entry: FsDirEntry): Promise<Row> {
  const path = join(folder, entry.name);
  const name = escapeForDisplay(entry.name);
  if (entry.kind === "directory") return { kind: "dir", size: "-", name: `${name}/` };
  if (entry.kind === "file") return { kind: "file", size: await sizeOf(ctx, path), name };
  if (entry.kind === "other") return { kind: "other", size: "-", name };
  return { kind: "link", size: "-", name: `${name} -> ${await linkTarget(ctx, path)}` };
}

async function linkTarget(ctx: ToolContext, path: string): Promise<string> {
  try {
    const target = escapeForDisplay(await ctx.fs.readLink(path));
    return (await ctx.fs.exists(path)) ? target : `${target} (cannot be followed)`;
  } catch {
    return "?";
  }
}

/** An entry that cannot be inspected must not hide the others. */
async function sizeOf(ctx: ToolContext, path: string): Promise<string> {
  try {
    return byteSize((await ctx.fs.stat(path, { followLinks: false })).size);
  } catch {
    return "?";
  }
}

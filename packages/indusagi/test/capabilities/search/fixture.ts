import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type LocalContextOptions, makeLocalContext } from "indusagi/capabilities";
import {
  type DefinedTool,
  type Fs,
  type FsDirEntry,
  type FsEntryInfo,
  FsError,
  type ToolContext,
} from "../../../src/capabilities/contract/index.ts";
import { callContext } from "../../../src/capabilities/kernel/index.ts";

/** Files by path; null means an empty folder. */
export interface Tree {
  readonly [path: string]: string | Uint8Array | null;
}

export async function writeTree(root: string, tree: Tree): Promise<void> {
  const entries = Object.entries(tree).map(([path, content]) => [join(root, path), content] as const);
  const folders = new Set(entries.map(([place, content]) => (content === null ? place : dirname(place))));
  await Promise.all([...folders].map((folder) => mkdir(folder, { recursive: true })));
  await Promise.all(entries.map(async ([place, content]) => content !== null && writeFile(place, content)));
}

export function contextIn(cwd: string, options: LocalContextOptions = {}): ToolContext {
  return callContext(makeLocalContext(cwd, options), { id: "call", name: "search", input: {} });
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** The text and the error flag of a tool's result. */
export async function runTool(tool: DefinedTool, input: unknown, ctx: ToolContext): Promise<ToolAnswer> {
  const { content, isError = false } = await tool.execute(input, ctx);
  const [only] = content;
  return { text: only?.kind === "text" ? only.text : "", isError };
}

/** A file system in memory with these files. A file without content is in an unreadable folder. */
export function memoryFs(files: { readonly [path: string]: string | undefined }): Fs {
  const refuse = (path: string): never => {
    throw new FsError("no_permission", path, `permission denied: ${path}`);
  };
  const info = (path: string): FsEntryInfo => {
    const content = files[path];
    const isDirectory = Object.keys(files).some((file) => file.startsWith(`${path}/`));
    if (content === undefined && !isDirectory) throw new FsError("not_found", path, `no such file: ${path}`);
    return {
      isFile: !isDirectory,
      isDirectory,
      isSymlink: false,
      size: Buffer.byteLength(content ?? ""),
      modifiedMs: 0,
    };
  };
  const readDir = async (path: string): Promise<FsDirEntry[]> => {
    const below = Object.keys(files).filter((file) => file.startsWith(`${path}/`));
    if (below.every((file) => files[file] === undefined)) return refuse(path);
    const names = new Set(below.map((file) => file.slice(path.length + 1).split("/")[0] ?? ""));
    return [...names].map((name) => ({
      name,
      kind: info(join(path, name)).isDirectory ? "directory" : "file",
    }));
  };
  return {
    resolve: async (path) => path,
    stat: async (path) => info(path),
    readDir,
    exists: async (path) => files[path] !== undefined,
    readText: async (path) => files[path] ?? refuse(path),
    readBytes: async (path) => Buffer.from(files[path] ?? refuse(path)),
    open: async (path) => ({
      path,
      info: info(path),
      read: async (position, length) =>
        Buffer.from(files[path] ?? refuse(path)).subarray(position, position + length),
      close: async () => {},
    }),
    readLink: async (path) => refuse(path),
    writeFile: async (path) => refuse(path),
    mkdir: async (path) => refuse(path),
    rm: async (path) => refuse(path),
  };
}

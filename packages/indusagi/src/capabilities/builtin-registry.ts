import type { ToolBox } from "../runtime/index.ts";
import { NATIVE_NAMES, type NativeName, READ_ONLY_NAMES } from "../runtime/internal.ts";
import type { DefinedTool } from "./contract/index.ts";
import { editTool } from "./edit/edit.ts";
import { lsTool } from "./file/ls.ts";
import { readTool } from "./file/read.ts";
import { writeTool } from "./file/write.ts";
import { ToolRegistry } from "./kernel/index.ts";
import { type LocalContextOptions, makeLocalContext } from "./local/index.ts";
import { processTool } from "./process/process.ts";
import { findTool } from "./search/find.ts";
import { grepTool } from "./search/grep.ts";
import { bashTool } from "./shell/bash.ts";
import { todoReadTool, todoSetTool } from "./todo/todo-tools.ts";
import { webFetchTool } from "./web/web-fetch.ts";
import { webSearchTool } from "./web/web-search.ts";

const FACTORIES: { readonly [Name in NativeName]: () => DefinedTool } = {
  read: readTool,
  ls: lsTool,
  grep: grepTool,
  find: findTool,
  websearch: webSearchTool,
  webfetch: webFetchTool,
  todo_read: todoReadTool,
  write: writeTool,
  edit: editTool,
  bash: bashTool,
  todo_set: todoSetTool,
  process: processTool,
};

/** A new registry of the twelve native tools, with the collections `read-only`, `coding` and `all`. */
export function builtinRegistry(): ToolRegistry {
  return new ToolRegistry()
    .registerAll(NATIVE_NAMES.map((name) => FACTORIES[name]()))
    .collection("read-only", READ_ONLY_NAMES)
    .collection("coding", NATIVE_NAMES)
    .collection("all", NATIVE_NAMES);
}

/** A box of native tools on this machine. Close it to end the processes that its tools left running. */
export interface LocalToolBox extends ToolBox, AsyncDisposable {
  close(): Promise<void>;
}

/** The native tools of a collection (`read-only`, `coding` or `all`), working in a folder. */
export function toolBox(
  collection: string,
  cwd: string = process.cwd(),
  options: LocalContextOptions = {},
): LocalToolBox {
  const context = makeLocalContext(cwd, options);
  const box = builtinRegistry().toToolBox(() => context, collection);
  const close = (): Promise<void> => context.close();
  return { ...box, close, [Symbol.asyncDispose]: close };
}

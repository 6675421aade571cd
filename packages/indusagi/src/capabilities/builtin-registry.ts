import { NATIVE_NAMES, type NativeName, READ_ONLY_NAMES } from "../runtime/internal.ts";
import type { DefinedTool } from "./contract/index.ts";
import { editTool } from "./edit/edit.ts";
import { lsTool } from "./file/ls.ts";
import { readTool } from "./file/read.ts";
import { writeTool } from "./file/write.ts";
import { ToolRegistry } from "./kernel/index.ts";
import { processTool } from "./process/process.ts";
import { findTool } from "./search/find.ts";
import { grepTool } from "./search/grep.ts";
import { bashTool } from "./shell/bash.ts";
import { todoReadTool } from "./todo/todo-read.ts";
import { todoSetTool } from "./todo/todo-set.ts";
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

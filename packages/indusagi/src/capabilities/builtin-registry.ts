import { NATIVE_NAMES, type NativeName, READ_ONLY_NAMES } from "../runtime/internal.ts";
import type { DefinedTool } from "./contract/index.ts";
import { ToolRegistry } from "./kernel/index.ts";
import {
  bashTool,
  editTool,
  findTool,
  grepTool,
  lsTool,
  processTool,
  readTool,
  todoReadTool,
  todoSetTool,
  webFetchTool,
  webSearchTool,
  writeTool,
} from "./tools/index.ts";

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

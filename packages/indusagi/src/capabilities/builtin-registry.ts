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

/** The seven native tools that change nothing. */
export const READ_ONLY_NAMES: readonly string[] = Object.freeze([
  "read",
  "ls",
  "grep",
  "find",
  "websearch",
  "webfetch",
  "todo_read",
]);

/** The five native tools that change files, run programs or keep state. */
export const MUTATING_NAMES: readonly string[] = Object.freeze([
  "write",
  "edit",
  "bash",
  "todo_set",
  "process",
]);

const FACTORIES: readonly (() => DefinedTool)[] = [
  readTool,
  lsTool,
  grepTool,
  findTool,
  webSearchTool,
  webFetchTool,
  todoReadTool,
  writeTool,
  editTool,
  bashTool,
  todoSetTool,
  processTool,
];

/** A fresh registry of the twelve native tools, with the collections `read-only`, `coding` and `all`. */
export function builtinRegistry(): ToolRegistry {
  const registry = new ToolRegistry().registerAll(FACTORIES.map((make) => make()));
  return registry
    .collection("read-only", READ_ONLY_NAMES)
    .collection("coding", [...READ_ONLY_NAMES, ...MUTATING_NAMES])
    .collection("all", registry.names());
}

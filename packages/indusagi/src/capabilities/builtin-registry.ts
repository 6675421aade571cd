import type { DefinedTool } from "./contract/index.ts";
import { ToolRegistry } from "./kernel/tool-registry.ts";
import { editTool } from "./tools/edit.ts";
import { lsTool } from "./tools/ls.ts";
import { readTool } from "./tools/read.ts";
import { todoReadTool } from "./tools/todo-read.ts";
import { todoSetTool } from "./tools/todo-set.ts";
import { writeTool } from "./tools/write.ts";

/** The native tools that change nothing. */
export const READ_ONLY_NAMES: readonly string[] = Object.freeze(["read", "ls", "todo_read"]);

/** The native tools that change files, run programs or keep state. */
export const MUTATING_NAMES: readonly string[] = Object.freeze(["write", "edit", "todo_set"]);

const FACTORIES: readonly (() => DefinedTool)[] = [readTool, lsTool, todoReadTool, writeTool, editTool, todoSetTool];

/** A fresh registry of the native tools, with the collections `read-only`, `coding` and `all`. */
export function builtinRegistry(): ToolRegistry {
  const registry = new ToolRegistry().registerAll(FACTORIES.map((make) => make()));
  return registry
    .collection("read-only", READ_ONLY_NAMES)
    .collection("coding", [...READ_ONLY_NAMES, ...MUTATING_NAMES])
    .collection("all", registry.names());
}

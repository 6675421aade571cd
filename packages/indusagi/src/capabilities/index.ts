export { failureResult, jsonResult, type ToolResult, textResult } from "../runtime/index.ts";
export { builtinRegistry, MUTATING_NAMES, READ_ONLY_NAMES } from "./builtin-registry.ts";
export {
  type DefinedTool,
  type Framework,
  type Fs,
  type FsDirEntry,
  type FsEntryInfo,
  FsError,
  type FsErrorKind,
  type FsFile,
  type FsRmOptions,
  type FsWriteOptions,
  type OutputBudget,
  type ReadRecord,
  type ReadStateHandle,
  type SessionContext,
  type Shell,
  type ShellExecOptions,
  type ShellExit,
  type ShellOptions,
  type ShellProcess,
  type ShellResult,
  type ShellSpawnOptions,
  type ShellStream,
  type ToolContext,
  type ToolSpec,
} from "./contract/index.ts";
export { clamp, standardBudget } from "./kernel/budget.ts";
export { forCall, givenSignal, withSignal } from "./kernel/call-context.ts";
export { type ChangeListeners, createChangeListeners } from "./kernel/change-listeners.ts";
export { coerceInput } from "./kernel/coerce-input.ts";
export { defineTool } from "./kernel/define-tool.ts";
export { diffTools } from "./kernel/diff-tools.ts";
export { type FittedInput, fitInput } from "./kernel/fit-input.ts";
export { type ContextFactory, ToolRegistry } from "./kernel/tool-registry.ts";
export { UnknownCollectionError, UnknownToolError } from "./kernel/unknown-names.ts";
export type { Disk, DiskHandle } from "./local/disk.ts";
export { type LocalContext, type LocalContextOptions, makeLocalContext } from "./local/local-context.ts";
export { isLocalFs, type LocalFsOptions, localFs } from "./local/local-fs.ts";
export { type LocalShellOptions, localShell } from "./local/local-shell.ts";
export { createReadState } from "./local/read-state.ts";
export type { Roots } from "./local/roots.ts";
export { unavailableFs, unavailableShell } from "./local/unavailable.ts";
export { type LocalToolBox, toolBox } from "./tool-box.ts";
export { bashTool } from "./tools/bash.ts";
export { editTool } from "./tools/edit.ts";
export { MODIFIED_SINCE_READ, NOT_READ_YET } from "./tools/file/read-gate.ts";
export { type FindToolOptions, findTool } from "./tools/find.ts";
export { type GrepToolOptions, grepTool } from "./tools/grep.ts";
export { lsTool } from "./tools/ls.ts";
export { type ProcessToolOptions, processTool } from "./tools/process.ts";
export { readTool } from "./tools/read.ts";
export { todoReadTool } from "./tools/todo-read.ts";
export { todoSetTool } from "./tools/todo-set.ts";
export { type DuckDuckGoOptions, duckDuckGo } from "./tools/web/search/duck-duck-go.ts";
export type { SearchHit, SearchProvider, SearchRequest } from "./tools/web/search/search-provider.ts";
export { type SearxngOptions, searxng } from "./tools/web/search/searxng.ts";
export { type WebFetchOptions, webFetchTool } from "./tools/web-fetch.ts";
export { type WebSearchOptions, webSearchTool } from "./tools/web-search.ts";
export { writeTool } from "./tools/write.ts";

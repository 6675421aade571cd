export {
  failureResult,
  type JsonContentBlock,
  jsonResult,
  type TextContentBlock,
  type ToolContentBlock,
  type ToolResult,
  textResult,
} from "../runtime/index.ts";
export { MUTATING_NAMES, READ_ONLY_NAMES } from "../runtime/internal.ts";
export { builtinRegistry, type LocalToolBox, toolBox } from "./builtin-registry.ts";
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
  type OutputPlace,
  type ReadRecord,
  type ReadStateHandle,
  type SessionContext,
  type Shell,
  type ShellExecOptions,
  type ShellExit,
  type ShellLaunch,
  type ShellOptions,
  type ShellProcess,
  type ShellResult,
  type ShellSpawnOptions,
  type ShellStream,
  type ShellWrap,
  type ToolContext,
  type ToolSpec,
  type WrappedLaunch,
} from "./contract/index.ts";
export { editTool } from "./edit/edit.ts";
export { lsTool } from "./file/ls.ts";
export { toolPath } from "./file/paths/tool-path.ts";
export { readTool } from "./file/read.ts";
export { MODIFIED_SINCE_READ, NOT_READ_YET } from "./file/read-gate.ts";
export { writeTool } from "./file/write.ts";
export {
  type ContextFactory,
  clamp,
  defineTool,
  standardBudget,
  ToolRegistry,
  UnknownCollectionError,
  UnknownToolError,
  withSignal,
} from "./kernel/index.ts";
export {
  createReadState,
  type Disk,
  type DiskHandle,
  type HeldFolder,
  holdFolder,
  type LocalContext,
  type LocalContextOptions,
  type LocalFsOptions,
  type LocalShellOptions,
  localFs,
  localShell,
  makeLocalContext,
  type Roots,
  unavailableFs,
  unavailableShell,
} from "./local/index.ts";
export { type ProcessToolOptions, processTool } from "./process/process.ts";
export { type FindToolOptions, findTool } from "./search/find.ts";
export { type GrepToolOptions, grepTool } from "./search/grep.ts";
export { bashTool } from "./shell/bash.ts";
export { ensureCaptureFolder } from "./shell/capture-folder.ts";
export { type OutputSections, outputSections } from "./shell/command-report.ts";
export { todoReadTool, todoSetTool } from "./todo/todo-tools.ts";
export {
  type DuckDuckGoOptions,
  duckDuckGo,
  type SearxngOptions,
  searxng,
} from "./web/search/search-engines.ts";
export type { SearchHit, SearchProvider, SearchRequest } from "./web/search/search-provider.ts";
export { webFetchTool } from "./web/web-fetch.ts";
export type { WebFetchOptions, WebSearchOptions } from "./web/web-options.ts";
export { webSearchTool } from "./web/web-search.ts";

export type { DefinedTool, ToolSpec } from "./defined-tool.ts";
export {
  type Fs,
  type FsDirEntry,
  type FsEntryInfo,
  FsError,
  type FsErrorKind,
  type FsFile,
  type FsRmOptions,
  type FsWriteOptions,
} from "./fs.ts";
export type {
  Shell,
  ShellExecOptions,
  ShellExit,
  ShellLaunch,
  ShellOptions,
  ShellProcess,
  ShellResult,
  ShellSpawnOptions,
  ShellStream,
  ShellWrap,
  WrappedLaunch,
} from "./shell.ts";
export type {
  Framework,
  OutputBudget,
  OutputPlace,
  ReadRecord,
  ReadStateHandle,
  SessionContext,
  ToolContext,
} from "./tool-context.ts";

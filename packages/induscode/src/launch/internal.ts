// For the rooms of this package only. It loads no part of the framework: every command line passes here.
export type { CommandCall, CommandLine, RunnableName, SessionLine } from "./command-line.ts";
export type {
  CompletionRequest,
  ConnectRequest,
  InstallServiceRequest,
  UninstallServiceRequest,
} from "./commands/client-commands.ts";
export type { CommandRequests } from "./commands/command-table.ts";
export type { ServerSources, ToolSelection } from "./commands/common-flags.ts";
export type {
  AddRequest,
  EditTarget,
  GetRequest,
  ImportRequest,
  NameRequest,
  ShownToolRequest,
  SwitchRequest,
  TrustRequest,
  UntrustRequest,
} from "./commands/mcp-edit-commands.ts";
export type {
  ApproveRequest,
  DiffRequest,
  ExplainRequest,
  HistoryRequest,
} from "./commands/mcp-ledger-commands.ts";
export type { LoginRequest, LogoutRequest } from "./commands/mcp-login-commands.ts";
export type {
  ListServersRequest,
  ServerToolRequest,
  ServerToolsRequest,
  WarmRequest,
} from "./commands/mcp-look-commands.ts";
export type {
  GetPromptRequest,
  ListItemsRequest,
  ReadResourceRequest,
} from "./commands/mcp-read-commands.ts";
export type { LogRequest, WatchRequest } from "./commands/mcp-watch-commands.ts";
export type { PolicyFlags } from "./commands/policy-flags.ts";
export type { ServeProfile, ServeRequest } from "./commands/serve-commands.ts";
export type { AcpRequest } from "./commands/session/acp-command.ts";
export type { SessionFlags } from "./commands/session/session-flags.ts";
export type { AuditRequest } from "./commands/team/audit-command.ts";
export type {
  AddTokenRequest,
  ListTokensRequest,
  RevokeTokensRequest,
} from "./commands/team/token-commands.ts";
export type { CallRequest, ToolRequest, ToolsRequest } from "./commands/tool-commands.ts";
export type { ToolsListing } from "./commands/tools-words.ts";
export { helpText, shortHelp } from "./help.ts";
export { commandWords, parseArguments, refusesColours } from "./parse-arguments.ts";
export { canonToolName, isMountedPattern, isToolPattern } from "./tool-names.ts";
export type { UsageProblem } from "./usage-problem.ts";

import type { CommandSpec, CommandTable } from "../command-spec.ts";
import { CLIENT_COMMANDS, type ClientRequests } from "./client-commands.ts";
import { HELP_COMMAND, type HelpRequests } from "./help-command.ts";
import { MCP_EDIT_COMMANDS, type McpEditRequests } from "./mcp-edit-commands.ts";
import { MCP_LEDGER_COMMANDS, type McpLedgerRequests } from "./mcp-ledger-commands.ts";
import { MCP_LOGIN_COMMANDS, type McpLoginRequests } from "./mcp-login-commands.ts";
import { MCP_LOOK_COMMANDS, type McpLookRequests } from "./mcp-look-commands.ts";
import { MCP_READ_COMMANDS, type McpReadRequests } from "./mcp-read-commands.ts";
import { MCP_WATCH_COMMANDS, type McpWatchRequests } from "./mcp-watch-commands.ts";
import { SERVE_COMMANDS, type ServeRequests } from "./serve-commands.ts";
import { ACP_COMMAND, type AcpRequests } from "./session/acp-command.ts";
import { AUDIT_COMMAND, type AuditRequests } from "./team/audit-command.ts";
import { TOKEN_COMMANDS, type TokenRequests } from "./team/token-commands.ts";
import { TOOL_COMMANDS, type ToolCommandRequests } from "./tool-commands.ts";

/** The request of each subcommand, by its name. */
export interface CommandRequests
  extends ToolCommandRequests,
    McpLookRequests,
    McpWatchRequests,
    McpLoginRequests,
    McpLedgerRequests,
    McpReadRequests,
    McpEditRequests,
    ServeRequests,
    TokenRequests,
    AuditRequests,
    AcpRequests,
    ClientRequests,
    HelpRequests {}

export type CommandName = keyof CommandRequests;

/** Every subcommand, in the order of the help. */
const COMMANDS: CommandTable<CommandRequests> = {
  ...TOOL_COMMANDS,
  ...MCP_LOOK_COMMANDS,
  ...MCP_WATCH_COMMANDS,
  ...MCP_LOGIN_COMMANDS,
  ...MCP_LEDGER_COMMANDS,
  ...MCP_READ_COMMANDS,
  ...MCP_EDIT_COMMANDS,
  ...SERVE_COMMANDS,
  ...TOKEN_COMMANDS,
  ...AUDIT_COMMAND,
  ...ACP_COMMAND,
  ...CLIENT_COMMANDS,
  ...HELP_COMMAND,
};

/** A row of the table with its name. */
export interface NamedCommand extends CommandSpec<object> {
  readonly name: CommandName;
}

const NAMED: readonly NamedCommand[] = (Object.keys(COMMANDS) as CommandName[]).map((name) => ({
  ...(COMMANDS[name] as CommandSpec<object>),
  name,
}));

/** The rows of the table in order. */
export function commandRows(): readonly NamedCommand[] {
  return NAMED;
}

/** The commands of a topic: one command, or all of a family such as `mcp`. Empty if there is none. */
export function commandsIn(topic: string): readonly NamedCommand[] {
  return NAMED.filter(({ name }) => name === topic || (topic !== "" && name.startsWith(`${topic} `)));
}

/** Whether a word begins the names of several commands. */
export function isFamily(word: string): boolean {
  return commandsIn(word).some(({ name }) => name !== word);
}

import { type CommandSpec, HELP_COMMAND } from "../launch/internal.ts";
import { CALL } from "./call.ts";
import { COMPLETION } from "./client/completion.ts";
import { CONNECT } from "./client/connect.ts";
import { CONSOLE } from "./client/console.ts";
import { SERVICE_INSTALL, SERVICE_UNINSTALL } from "./client/service.ts";
import {
  CLUSTER_APPLY,
  CLUSTER_CHECK,
  CLUSTER_DRAIN,
  CLUSTER_FORGET,
  CLUSTER_INIT,
  CLUSTER_STATUS,
} from "./cluster/cluster.ts";
import { CONFIG_GET, CONFIG_LIST, CONFIG_SET, CONFIG_UNSET } from "./config.ts";
import { MCP_ADD, MCP_ADD_JSON } from "./mcp/add.ts";
import { MCP_APPROVE, MCP_REFUSE } from "./mcp/approve.ts";
import { MCP_CALL } from "./mcp/call.ts";
import { MCP_DIFF } from "./mcp/diff.ts";
import { MCP_DOCTOR } from "./mcp/doctor.ts";
import { MCP_DISABLE, MCP_ENABLE } from "./mcp/enable.ts";
import { MCP_ENV } from "./mcp/env.ts";
import { MCP_EXPLAIN } from "./mcp/explain.ts";
import { MCP_GET } from "./mcp/get.ts";
import { MCP_HISTORY } from "./mcp/history.ts";
import { MCP_IMPORT } from "./mcp/import.ts";
import { MCP_LIST } from "./mcp/list.ts";
import { MCP_LOG } from "./mcp/log.ts";
import { MCP_LOGIN, MCP_LOGOUT } from "./mcp/login.ts";
import { MCP_PROMPT } from "./mcp/prompt.ts";
import { MCP_PROMPTS } from "./mcp/prompts.ts";
import { MCP_READ } from "./mcp/read.ts";
import { MCP_REMOVE } from "./mcp/remove.ts";
import { MCP_DESCRIBE, MCP_RENAME } from "./mcp/rename.ts";
import { MCP_RESOURCES } from "./mcp/resources.ts";
import { MCP_RESTART } from "./mcp/restart.ts";
import { MCP_TOOLS } from "./mcp/tools.ts";
import { MCP_TRUST, MCP_UNTRUST } from "./mcp/trust.ts";
import { MCP_WARM } from "./mcp/warm.ts";
import { MCP_WATCH } from "./mcp/watch.ts";
import { AUDIT } from "./serve/audit.ts";
import { DOWN } from "./serve/down.ts";
import { SERVE } from "./serve/serve-words.ts";
import { STATUS } from "./serve/status.ts";
import { TOKEN_ADD, TOKEN_LIST, TOKEN_REVOKE } from "./serve/token.ts";
import { UP } from "./serve/up.ts";
import { WORKER } from "./serve/worker.ts";
import { ACP } from "./session/acp.ts";
import { SESSIONS_DELETE, SESSIONS_LIST, SESSIONS_SEARCH } from "./session/sessions.ts";
import type { Command, Work } from "./subcommand.ts";
import { TOOLS } from "./tools.ts";

/** Here the compiler checks that a command's work takes the request that its flags produce. */
function command<Request extends object>(
  spec: CommandSpec<Request>,
  load: () => Promise<Work<Request>>,
): Command {
  return { ...spec, load: load as () => Promise<Work<object>> };
}

/**
 * Every subcommand, in the order of the help. A command is one file. Its words are imported eagerly, for the parser, the help and
 * completion; what it does is loaded when it runs. `scripts/bundle/words-apart.mjs` keeps the two apart in the bundle.
 */
export const COMMANDS: readonly Command[] = [
  command(TOOLS, async () => (await import("./tools.ts")).tools),
  command(CALL, async () => (await import("./call.ts")).call),
  command(MCP_LIST, async () => (await import("./mcp/list.ts")).mcpList),
  command(MCP_TOOLS, async () => (await import("./mcp/tools.ts")).mcpTools),
  command(MCP_CALL, async () => (await import("./mcp/call.ts")).mcpCall),
  command(MCP_WARM, async () => (await import("./mcp/warm.ts")).mcpWarm),
  command(MCP_DOCTOR, async () => (await import("./mcp/doctor.ts")).mcpDoctor),
  command(MCP_WATCH, async () => (await import("./mcp/watch.ts")).mcpWatch),
  command(MCP_LOG, async () => (await import("./mcp/log.ts")).mcpLog),
  command(MCP_LOGIN, async () => (await import("./mcp/login.ts")).mcpLogin),
  command(MCP_LOGOUT, async () => (await import("./mcp/login.ts")).mcpLogout),
  command(MCP_RESTART, async () => (await import("./mcp/restart.ts")).restartServer),
  command(MCP_APPROVE, async () => (await import("./mcp/approve.ts")).approve),
  command(MCP_REFUSE, async () => (await import("./mcp/approve.ts")).refuse),
  command(MCP_HISTORY, async () => (await import("./mcp/history.ts")).history),
  command(MCP_DIFF, async () => (await import("./mcp/diff.ts")).diff),
  command(MCP_EXPLAIN, async () => (await import("./mcp/explain.ts")).explain),
  command(MCP_RESOURCES, async () => (await import("./mcp/resources.ts")).mcpResources),
  command(MCP_READ, async () => (await import("./mcp/read.ts")).mcpRead),
  command(MCP_PROMPTS, async () => (await import("./mcp/prompts.ts")).mcpPrompts),
  command(MCP_PROMPT, async () => (await import("./mcp/prompt.ts")).mcpPrompt),
  command(MCP_ADD, async () => (await import("./mcp/add.ts")).addServer),
  command(MCP_ADD_JSON, async () => (await import("./mcp/add.ts")).addServer),
  command(MCP_REMOVE, async () => (await import("./mcp/remove.ts")).removeServer),
  command(MCP_GET, async () => (await import("./mcp/get.ts")).getServer),
  command(MCP_ENABLE, async () => (await import("./mcp/enable.ts")).switchServer),
  command(MCP_DISABLE, async () => (await import("./mcp/enable.ts")).switchServer),
  command(MCP_ENV, async () => (await import("./mcp/env.ts")).changeEnv),
  command(MCP_RENAME, async () => (await import("./mcp/rename.ts")).renameTool),
  command(MCP_DESCRIBE, async () => (await import("./mcp/rename.ts")).setToolDescription),
  command(MCP_IMPORT, async () => (await import("./mcp/import.ts")).importServers),
  command(MCP_TRUST, async () => (await import("./mcp/trust.ts")).trustServers),
  command(MCP_UNTRUST, async () => (await import("./mcp/trust.ts")).untrustServer),
  command(SERVE, async () => (await import("./serve/serve.ts")).serve),
  command(CONSOLE, async () => (await import("./client/console.ts")).openConsole),
  command(UP, async () => (await import("./serve/up.ts")).up),
  command(DOWN, async () => (await import("./serve/down.ts")).down),
  command(STATUS, async () => (await import("./serve/status.ts")).status),
  command(TOKEN_ADD, async () => (await import("./serve/token.ts")).tokenAdd),
  command(TOKEN_LIST, async () => (await import("./serve/token.ts")).tokenList),
  command(TOKEN_REVOKE, async () => (await import("./serve/token.ts")).tokenRevoke),
  command(WORKER, async () => (await import("./serve/worker.ts")).worker),
  command(CLUSTER_INIT, async () => (await import("./cluster/cluster.ts")).clusterInit),
  command(CLUSTER_APPLY, async () => (await import("./cluster/cluster.ts")).clusterApply),
  command(CLUSTER_STATUS, async () => (await import("./cluster/cluster.ts")).clusterStatus),
  command(CLUSTER_CHECK, async () => (await import("./cluster/cluster.ts")).clusterCheck),
  command(CLUSTER_DRAIN, async () => (await import("./cluster/cluster.ts")).clusterDrain),
  command(CLUSTER_FORGET, async () => (await import("./cluster/cluster.ts")).clusterForget),
  command(AUDIT, async () => (await import("./serve/audit.ts")).audit),
  command(ACP, async () => (await import("./session/acp.ts")).acp),
  command(CONFIG_LIST, async () => (await import("./config.ts")).listConfig),
  command(CONFIG_GET, async () => (await import("./config.ts")).getConfig),
  command(CONFIG_SET, async () => (await import("./config.ts")).setConfig),
  command(CONFIG_UNSET, async () => (await import("./config.ts")).unsetConfig),
  command(SESSIONS_LIST, async () => (await import("./session/sessions.ts")).listSessions),
  command(SESSIONS_SEARCH, async () => (await import("./session/sessions.ts")).listSessions),
  command(SESSIONS_DELETE, async () => (await import("./session/sessions.ts")).deleteSessions),
  command(CONNECT, async () => (await import("./client/connect.ts")).connect),
  command(SERVICE_INSTALL, async () => (await import("./client/service.ts")).installService),
  command(SERVICE_UNINSTALL, async () => (await import("./client/service.ts")).uninstallService),
  command(COMPLETION, async () => (await import("./client/completion.ts")).completion),
  HELP_COMMAND,
];

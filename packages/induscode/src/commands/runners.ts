import type { Run } from "../boot/internal.ts";
import type { CommandCall, CommandRequests, RunnableName } from "../launch/internal.ts";

/** Carries out one subcommand and resolves to the exit code. */
type Runner<Request> = (run: Run, request: Request) => Promise<number>;

/** How each subcommand is loaded. Only the one that runs is. */
const RUNNERS: { readonly [Name in RunnableName]: () => Promise<Runner<CommandRequests[Name]>> } = {
  tools: async () => (await import("./tools.ts")).tools,
  call: async () => (await import("./call.ts")).call,
  "mcp list": async () => (await import("./mcp/list.ts")).mcpList,
  "mcp tools": async () => (await import("./mcp/tools.ts")).mcpTools,
  "mcp call": async () => (await import("./mcp/call.ts")).mcpCall,
  "mcp resources": async () => (await import("./mcp/read/resources.ts")).mcpResources,
  "mcp read": async () => (await import("./mcp/read/read.ts")).mcpRead,
  "mcp prompts": async () => (await import("./mcp/read/prompts.ts")).mcpPrompts,
  "mcp prompt": async () => (await import("./mcp/read/prompt.ts")).mcpPrompt,
  "mcp warm": async () => (await import("./mcp/warm.ts")).mcpWarm,
  "mcp doctor": async () => (await import("./mcp/doctor.ts")).mcpDoctor,
  "mcp watch": async () => (await import("./mcp/watch.ts")).mcpWatch,
  "mcp login": async () => (await import("./mcp/login.ts")).mcpLogin,
  "mcp logout": async () => (await import("./mcp/login.ts")).mcpLogout,
  "mcp log": async () => (await import("./mcp/log.ts")).mcpLog,
  "mcp approve": async () => (await import("./ledger/approve.ts")).approve,
  "mcp history": async () => (await import("./ledger/history.ts")).history,
  "mcp diff": async () => (await import("./ledger/diff.ts")).diff,
  "mcp explain": async () => (await import("./ledger/explain.ts")).explain,
  "mcp add": async () => (await import("./edit/add.ts")).addServer,
  "mcp add-json": async () => (await import("./edit/add.ts")).addServer,
  "mcp remove": async () => (await import("./edit/remove.ts")).removeServer,
  "mcp get": async () => (await import("./edit/get.ts")).getServer,
  "mcp enable": async () => (await import("./edit/switch.ts")).switchServer,
  "mcp disable": async () => (await import("./edit/switch.ts")).switchServer,
  "mcp rename": async () => (await import("./edit/shown-tool.ts")).renameTool,
  "mcp describe": async () => (await import("./edit/shown-tool.ts")).describeTool,
  "mcp import": async () => (await import("./edit/import.ts")).importServers,
  "mcp trust": async () => (await import("./edit/trust.ts")).trustServers,
  "mcp untrust": async () => (await import("./edit/trust.ts")).untrustServer,
  serve: async () => (await import("./serve.ts")).serve,
  "token add": async () => (await import("./token.ts")).addToken,
  "token list": async () => (await import("./token.ts")).listTokens,
  "token revoke": async () => (await import("./token.ts")).revokeTokens,
  audit: async () => (await import("./audit.ts")).audit,
  acp: async () => (await import("./acp.ts")).acp,
  connect: async () => (await import("./client/connect.ts")).connect,
  "service install": async () => (await import("./client/service.ts")).installService,
  "service uninstall": async () => (await import("./client/service.ts")).uninstallService,
  completion: async () => (await import("./client/completion.ts")).completion,
};

export async function runIn<Name extends RunnableName>(
  run: Run,
  { name, request }: CommandCall<Name>,
): Promise<number> {
  const runner = await RUNNERS[name]();
  return runner(run, request);
}

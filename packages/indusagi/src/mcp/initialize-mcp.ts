import { callListener, escapeForDisplay } from "../core/index.ts";
import { definedMembers } from "../core/internal.ts";
import {
  diagnosticLine,
  type LoadMCPConfigOptions,
  readMCPConfig,
  toConnectionOptions,
} from "./config-file/load-mcp-config.ts";
import type {
  AgentToolRegistry,
  BaseServerOptions,
  InitializedMCP as Initialized,
  MCPQuestionHandlers,
} from "./contract/index.ts";
import { MCPClientPool, type MCPSupervisedPoolOptions } from "./pool/mcp-client-pool.ts";
import { stderrLine } from "./pool/pool-member.ts";
import { registerMCPToolsInRegistry } from "./tools/create-mcp-agent-tool-factory.ts";
import type { FitContentOptions } from "./tools/fit-content.ts";

/** The result of `initializeMCP`. */
export type InitializedMCP = Initialized<MCPClientPool>;

export interface InitializeMCPOptions
  extends BaseServerOptions,
    MCPQuestionHandlers,
    Pick<MCPSupervisedPoolOptions, "supervision">,
    Omit<LoadMCPConfigOptions, "onDiagnostic"> {
  /** The folder to start from, or one configuration file. Default: the current folder. */
  readonly cwd?: string;
  /** Limits the text that the registered tools give to a model. */
  readonly content?: FitContentOptions;
}

/**
 * Reads the configuration, connects to its servers and registers their tools. A bad row or a dead server does not make
 * it reject: `notices` and the pool's status report them, and `logger` or else standard error. The caller must disconnect the pool. If the registry throws,
 * the pool is disconnected here.
 */
export async function initializeMCP(
  registry: AgentToolRegistry,
  cwd: string | InitializeMCPOptions = {},
  more: InitializeMCPOptions = {},
): Promise<InitializedMCP> {
  const options = typeof cwd === "string" ? { ...more, cwd } : cwd;
  const { trustProject = false, content, cwd: path = process.cwd(), env, home, ...common } = options;
  const read = readMCPConfig(path, definedMembers({ trustProject, env, home }));
  const pending = read.servers.filter((row) => row.pending);
  const notices = [
    ...read.diagnostics.map(diagnosticLine),
    ...pending.map(({ config, source }) => pendingNotice(config.id, source.file)),
  ];
  const pool = new MCPClientPool({
    ...common,
    servers: read.servers.filter((row) => !row.pending).map(toConnectionOptions),
  });
  for (const message of notices) {
    if (!common.logger) stderrLine(message);
    callListener(common.logger, {
      level: "warning",
      message,
      timestamp: new Date(),
      serverName: "configuration",
    });
  }
  await pool.connectAll();
  try {
    return { pool, toolCount: await registerAll(registry, pool, content), notices };
  } catch (thrown) {
    // The caller does not get the pool, so it cannot disconnect it.
    await pool.disconnectAll();
    throw thrown;
  }
}

function pendingNotice(id: string, file: string | undefined): string {
  const where = file ?? "a project file";
  return escapeForDisplay(
    `server "${id}" in ${where} was not started because the project is not trusted; pass { trustProject: true } to start it`,
  );
}

async function registerAll(
  registry: AgentToolRegistry,
  pool: MCPClientPool,
  content: FitContentOptions | undefined,
): Promise<number> {
  let count = 0;
  for (const client of pool.getAllClients()) {
    if (!client.connected) continue;
    // A server that cannot list its tools is reported in the pool's status.
    const tools = await client.listTools().catch(() => []);
    count += await registerMCPToolsInRegistry(registry, client, tools, content);
  }
  return count;
}

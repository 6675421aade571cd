import { callListener, escapeForDisplay } from "../core/index.ts";
import {
  diagnosticLine,
  type LoadMCPConfigOptions,
  readMCPConfig,
  toConnectionOptions,
} from "./config-file/index.ts";
import type {
  AgentToolRegistry,
  BaseServerOptions,
  InitializedMCP as Initialized,
  MCPQuestionHandlers,
} from "./contract/index.ts";
import { MCPClientPool } from "./pool/index.ts";
import type { FitContentOptions } from "./tools/fit-content.ts";
import { registerMCPToolsInRegistry } from "./tools/index.ts";

/** What `initializeMCP` made. */
export type InitializedMCP = Initialized<MCPClientPool>;

export interface InitializeMCPOptions
  extends BaseServerOptions,
    MCPQuestionHandlers,
    Omit<LoadMCPConfigOptions, "onDiagnostic"> {
  /** The folder to start from, or one configuration file. Default: the current folder. */
  readonly cwd?: string;
  /**
   * Start what the project's own file names. Default false: whoever has written that file would otherwise decide which
   * programs run here, and anybody may have, in a folder that was cloned.
   */
  readonly trustProject?: boolean;
  /** How much of an answer the registered tools give to a model. */
  readonly content?: FitContentOptions;
}

/**
 * The whole way in one step: reads the configuration, connects to its servers and registers their tools. Never rejects
 * for a bad row or a dead server: `notices` and the pool's status say what is missing. Whoever called disconnects the
 * pool; when the registry throws, that is done here.
 */
export async function initializeMCP(
  registry: AgentToolRegistry,
  cwd: string | InitializeMCPOptions = {},
  more: InitializeMCPOptions = {},
): Promise<InitializedMCP> {
  const options = typeof cwd === "string" ? { ...more, cwd } : cwd;
  const { trustProject = false, content, cwd: path = process.cwd(), env, home, ...common } = options;
  const read = readMCPConfig(path, {
    isApproved: () => trustProject,
    ...(env ? { env } : {}),
    ...(home === undefined ? {} : { home }),
  });
  const pending = read.servers.filter((row) => row.pending);
  const notices = [
    ...read.diagnostics.map(diagnosticLine),
    ...pending.map(({ config, source }) => pendingNotice(config.id, source.file)),
  ];
  const pool = new MCPClientPool({
    ...common,
    servers: read.servers.filter((row) => !row.pending).map(toConnectionOptions),
  });
  for (const message of notices)
    callListener(common.logger, {
      level: "warning",
      message,
      timestamp: new Date(),
      serverName: "configuration",
    });
  await pool.connectAll();
  try {
    return { pool, toolCount: await registerAll(registry, pool, content), notices };
  } catch (thrown) {
    // A registry that refuses: nobody else has the pool to disconnect it.
    await pool.disconnectAll();
    throw thrown;
  }
}

function pendingNotice(id: string, file: string | undefined): string {
  const where = file === undefined ? "a project file" : file;
  return escapeForDisplay(
    `server "${id}" of ${where} is not started: the project is not trusted; pass { trustProject: true } to start it`,
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
    // A server that cannot list has no tools to register; the pool's status says why.
    const tools = await client.listTools().catch(() => []);
    count += await registerMCPToolsInRegistry(registry, client, tools, content);
  }
  return count;
}

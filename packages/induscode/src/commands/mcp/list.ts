import { relative } from "node:path";
import type { LoginStatus } from "indusagi/interop";
import { estimateToolTokens } from "indusagi/llm";
import type { Run } from "../../boot/internal.ts";
import {
  type CommandSpec,
  JSON_OUTPUT,
  readSources,
  SERVER_FLAGS,
  type ServerSources,
} from "../../launch/internal.ts";
import { showJson, showReasons } from "../../screen/index.ts";
import { plainStatus, type ServerRow, serverReport, showServers } from "../../servers/doctor/index.ts";
import type { FoundServer } from "../../servers/internal.ts";
import { loginsOf, type StartedServers, startServers } from "./start-servers.ts";

interface ListServersRequest {
  readonly sources: ServerSources;
  /** The servers to start. Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
  /** Whether a single failed server means exit code 1. */
  readonly exitCode: boolean;
  /** Whether to show why servers failed below the table. */
  readonly verbose: boolean;
}

export const MCP_LIST: CommandSpec<ListServersRequest> = {
  name: "mcp list",
  aliases: ["mcp ls"],
  group: "everyday",
  operands: "[SERVER …]",
  summary:
    "Connect to the configured servers, or only those named, and show where each is configured, its state, and what its tools cost. Also: mcp ls.",
  flags: [
    JSON_OUTPUT,
    {
      name: "--exit-code",
      aliases: [],
      kind: "boolean",
      describe: "Exit with 1 if any server failed, not only if all did.",
    },
    {
      name: "--verbose",
      aliases: [],
      kind: "boolean",
      describe:
        "Also show how long each start took, and up to three lines of standard error from failed servers.",
    },
    ...SERVER_FLAGS,
  ],
  examples: ["indus mcp list", "indus mcp list notes units --mcp servers.json"],
  read: (flags) => ({
    sources: readSources(flags),
    names: [...flags.operands, ...flags.afterEnd],
    json: flags.has("--json"),
    exitCode: flags.has("--exit-code"),
    verbose: flags.has("--verbose"),
  }),
};

/** `indus mcp list`: connects to the configured servers, all or those named, and shows their state and what they cost. */
export async function mcpList(run: Run, request: ListServersRequest): Promise<number> {
  const { terminal } = run;
  const { sources, names, json, exitCode, verbose } = request;
  const started = await startServers(run, {
    sources,
    names,
    needsRequired: names.length === 0,
    showsStates: true,
  });
  if (!started) return 1;
  const { servers } = started;
  await servers.listed(run.signal);
  const statuses = servers.statuses();
  const rows = serverRows(started, await loginsOf(run, started.found.configs));
  if (json) {
    const plain = rows.map(({ found, ...row }) => ({ ...plainRow(row), origin: found.origin }));
    terminal.out(showJson({ servers: plain, tools: servers.box.descriptors() }));
  } else {
    const look = terminal.outLook ?? {};
    const reasons = verbose ? showReasons(statuses) : "";
    terminal.out(showServers(rows, { look, times: verbose }) + (reasons && `\n${reasons}`));
  }
  const reports = statuses.map(serverReport);
  if (exitCode && reports.some(({ hasFailed }) => hasFailed)) return 1;
  return reports.some(({ isUsable }) => isUsable) && servers.missingRequired() === undefined ? 0 : 1;
}

/** One row per chosen server of the configuration. */
function serverRows(
  { found, servers }: StartedServers,
  logins: ReadonlyMap<string, LoginStatus>,
): readonly (ServerRow & { readonly found: FoundServer })[] {
  const statuses = new Map(servers.statuses().map((status) => [status.server, status]));
  const tokens = tokensByServer(servers);
  return found.servers
    .filter(({ config }) => statuses.has(config.id))
    .map((row) => {
      const { id } = row.config;
      const status = found.configs.includes(row.config) ? statuses.get(id) : undefined;
      const isListed = status !== undefined && serverReport(status).isUsable;
      const ms = servers.timesMs.get(id);
      return {
        found: row,
        server: id,
        origin: originShown(row),
        trust: row.trust,
        ...(status && { status }),
        ...(isListed && { tokens: tokens.get(id) ?? 0 }),
        ...(status && ms !== undefined && { ms }),
        ...(status && loginOf(logins.get(id))),
      };
    });
}

function loginOf(login: LoginStatus | undefined): Pick<ServerRow, "login"> {
  return login ? { login } : {};
}

function tokensByServer({ box }: StartedServers["servers"]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const tool of box.descriptors()) {
    const server = tool.origin?.server ?? "";
    sums.set(server, (sums.get(server) ?? 0) + estimateToolTokens(tool));
  }
  return sums;
}

/** The scope, or the file or flag that the user typed. */
function originShown({ origin }: FoundServer): string {
  const { scope, file } = origin;
  if (scope !== "explicit" || file === undefined) return scope;
  if (file.startsWith("-")) return file;
  const near = relative("", file);
  return near.startsWith("..") ? file : near;
}

function plainRow({ server, trust, tokens, ms, status, login }: Omit<ServerRow, "origin">): object {
  const known: object = status ? plainStatus(status) : { server, phase: "idle", isUsed: false };
  return {
    ...known,
    trust,
    estimatedTokens: tokens,
    login,
    ms: Math.round(ms ?? 0),
  };
}

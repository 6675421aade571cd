import type { EndpointStatus, LoginStatus, ServerConfig } from "indusagi/interop";
import { firstOf, type Run } from "../../boot/internal.ts";
import { type ParsedFlags, readSources, type ServerSources } from "../../launch/internal.ts";
import { suggestion } from "../../screen/index.ts";
import { waitingLine } from "../../screen/terminal/index.ts";
import { serverReport, showStatusLine, showWaiting } from "../../servers/doctor/index.ts";
import type { FoundServers } from "../../servers/find/index.ts";
import {
  findServers,
  likelyServers,
  openServers,
  repairPath,
  startEarly,
  useRunningServers,
} from "../../servers/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";

/** The request of commands that look at servers. */
export interface NamedServers {
  readonly sources: ServerSources;
  /** The servers to start. Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
}

export function readNamedServers(flags: ParsedFlags): NamedServers {
  const names = [...flags.operands, ...flags.afterEnd];
  return { sources: readSources(flags), names, json: flags.has("--json") };
}

interface StartRequest {
  readonly sources: ServerSources;
  /** The servers to start. Empty: all. */
  readonly names: readonly string[];
  /** What is wanted, such as a prompt. If its name begins with the names of some servers, only those are started. */
  readonly wanted?: string | undefined;
  /** Whether an unusable row of a required server stops the command. Default: false. */
  readonly needsRequired?: boolean;
  /** The command shows the state of each server itself, so what that says is not also reported. Default: false. */
  readonly showsStates?: boolean;
}

/** More than the default on small machines: the command has nothing else to do until all are ready. */
const START_CONCURRENCY = 12;

export interface StartedServers {
  readonly found: FoundServers;
  readonly servers: OpenServers;
}

/**
 * Starts the configured servers, all or those named, and waits until each is ready or has failed. If the command must stop,
 * reports why and returns undefined.
 */
export async function startServers(
  run: Run,
  { sources, names, wanted, needsRequired = false, showsStates = false }: StartRequest,
): Promise<StartedServers | undefined> {
  const { terminal, signal, report } = run;
  const found = await findServers(run, sources, { withoutRequired: !needsRequired });
  const chosen = found && (await chosenServers(found, names, report));
  if (!chosen) return undefined;
  const likely = wanted === undefined ? [] : await likelyServers(run, wanted, chosen);
  const configs = likely.length > 0 ? likely : chosen;
  const held: string[] = [];
  // With another `PATH` they would be other programs.
  const running = await useRunningServers(run, configs);
  const own = configs.filter(({ id }) => !running.has(id));
  const early = repairPath(run) ? undefined : await run.open(startEarly(own, START_CONCURRENCY));
  const servers = await openServers(run, {
    servers: configs,
    supervision: false,
    ...(early && { endpointOptions: () => ({ stdio: { startTree: early.startTree } }) }),
    report: showsStates ? (message) => void held.push(message) : report,
    startConcurrency: START_CONCURRENCY,
  });
  const waiting = waitingLine(run, (elapsedMs) => {
    const pending = configs.map(({ id }) => id).filter((id) => !servers.timesMs.has(id));
    return showWaiting(pending, elapsedMs, terminal.errLook?.width);
  });
  await firstOf([servers.settled], { signal });
  waiting.stop();
  reportUnshown(run, held, servers);
  return signal.aborted ? undefined : { found, servers };
}

/** Reports the messages that the state of no server repeats. For commands that show these states. */
export function reportUnshown({ report }: Run, held: readonly string[], servers: OpenServers): void {
  const shown = new Set(servers.statuses().map(({ summary }) => summary));
  for (const message of held) if (!shown.has(message)) report(message);
}

const NOTHING = "no servers are configured; add one with indus mcp add, or name a file with --mcp";

/** The servers with these names, or all without names. If there are none, reports that and returns undefined. */
export async function chosenServers(
  { configs, given, reason }: FoundServers,
  names: readonly string[],
  report: Run["report"],
): Promise<readonly ServerConfig[] | undefined> {
  if (configs.length === 0) {
    const none = given === undefined ? NOTHING : `${given}: no servers; add one under "mcpServers"`;
    report(reason ?? none);
    return undefined;
  }
  const ids = configs.map(({ id }) => id);
  const unknown = names.find((name) => !ids.includes(name));
  if (unknown === undefined)
    return names.length === 0 ? configs : configs.filter(({ id }) => names.includes(id));
  const hint = await suggestion(unknown, ids, `the servers are ${ids.join(", ")}`);
  const where = given === undefined ? "" : `${given}: `;
  report(`${where}there is no server named ${JSON.stringify(unknown)}; ${hint}`);
  return undefined;
}

/** The logins by server. Empty if they cannot be read: a server's state still shows that it needs one. */
export async function loginsOf(
  run: Run,
  configs: readonly ServerConfig[],
): Promise<ReadonlyMap<string, LoginStatus>> {
  if (configs.every(({ kind }) => kind === "stdio")) return new Map();
  try {
    return await (await run.state.logins()).statuses(configs);
  } catch {
    return new Map();
  }
}

export function connectedServers(servers: OpenServers): readonly string[] {
  const reports = servers.statuses().map(serverReport);
  return reports.filter(({ isConnected }) => isConnected).map(({ server }) => server);
}

/** Reports each failed server with the reason and the fix. Returns the exit code: 1 if no server works. */
export function reportFailures({ report }: Run, servers: OpenServers): number {
  const statuses = servers.statuses();
  for (const status of statuses) {
    const { hasFailed, isForbidden } = serverReport(status);
    if (hasFailed && !isForbidden) report(failureOf(status));
  }
  return statuses.some((status) => serverReport(status).isUsable) ? 0 : 1;
}

/** Why a server failed, in one line. A summary usually names the server already. */
export function failureOf(status: EndpointStatus): string {
  return status.summary?.startsWith("server ") ? status.summary : showStatusLine(status);
}

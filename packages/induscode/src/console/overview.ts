import { isoTime, shellWord } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";
import { ledgerRecords, productVersion, workspaceAudit } from "../boot/internal.ts";

import { routePath, tokenIn } from "../gateway/index.ts";
import type { CallRecord } from "../gateway/operations/audit/internal.ts";
import { serverReport, shownWord } from "../servers/doctor/index.ts";
import type { Activity } from "./activity.ts";
import type { ConnectedClient, Problem, ProcessUse, ServerSummary, Snapshot, ToolCost } from "./contract.ts";
import type { ConsoleSource } from "./source.ts";

// What the overview shows. The live stream sends the same parts when they change.

const HOUR_MS = 3_600_000;
const NEWEST_CALLS = 200;

/** What is measured while someone looks. */
export interface Measured {
  readonly activity: Activity;
  readonly processes: { readonly [server: string]: ProcessUse };
  readonly gateway: ProcessUse;
}

export async function snapshotOf(
  source: ConsoleSource,
  measured: Measured,
  position: string,
): Promise<Snapshot> {
  const { servers, view, folder } = source;
  const waiting = await waitingCounts(source);
  const { sessions, requests, streams } = view.stats() ?? { sessions: 0, requests: 0, streams: 0 };
  const calls = await recentCalls(source);
  return {
    folder,
    version: productVersion(),
    startedAt: isoTime(performance.timeOrigin),
    problems: problemsOf(source, waiting),
    servers: servers.statuses().map((status) => summaryOf(source, status, measured)),
    clients: clientsOf(source, lastCalls(calls)),
    cost: costOf(source),
    waiting,
    gateway: measured.gateway,
    listener: { sessions, requests, streams },
    calls: calls.slice(-NEWEST_CALLS),
    position,
  };
}

/** The calls of the last hour. */
export async function recentCalls({ run }: ConsoleSource): Promise<readonly CallRecord[]> {
  return (await flushedAudit(run)).read({ sinceMs: Date.now() - HOUR_MS });
}

/** The audit trail, with the calls that this process has not written yet. */
export async function flushedAudit(
  run: ConsoleSource["run"],
): Promise<Awaited<ReturnType<typeof workspaceAudit>>> {
  (await run.state.auditTrail())?.flush();
  return workspaceAudit(run);
}

/** How many changes wait for the user, by server. */
export async function waitingCounts({ run }: ConsoleSource): Promise<{ readonly [server: string]: number }> {
  const { changes } = (await ledgerRecords(run)).waiting();
  const counts = new Map<string, number>();
  for (const { server, isRefused } of changes)
    if (!isRefused) counts.set(server, (counts.get(server) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** One server with its numbers. */
export function summaryOf(
  { servers }: Pick<ConsoleSource, "servers">,
  status: EndpointStatus,
  { activity, processes }: Pick<Measured, "activity" | "processes">,
): ServerSummary {
  const report = serverReport(status);
  const { server: id, notes = [], rowNotes = [], leftOut = [] } = status;
  const endpoint = servers.fleet.endpoint(id);
  const config = endpoint?.config ?? servers.configs().find((row) => row.id === id);
  const isFine = report.isUsable && !report.isOutdated;
  return {
    id,
    standing: report.standing,
    state: shownWord(report.state),
    isUsable: report.isUsable,
    isStarting: report.isStarting,
    isDown: report.isDown,
    needsUser: report.needsUser,
    ...(isFine
      ? {}
      : { reason: report.reason, remedy: report.remedy, command: report.command.map(shellWord).join(" ") }),
    tools: status.toolCount,
    restarts: status.restarts ?? 0,
    transport: config?.kind ?? "stdio",
    era: endpoint?.phase === "ready" ? endpoint.session().era : undefined,
    notes: [...notes, ...rowNotes, ...leftOut],
    activity: activity.of(id),
    process: processes[id],
  };
}

/** What needs the user, the worst first. */
export function problemsOf(
  { servers, view }: Pick<ConsoleSource, "servers" | "view">,
  waiting: { readonly [server: string]: number },
): readonly Problem[] {
  const required = servers.missingRequired();
  const found: Problem[] = [];
  for (const status of servers.statuses()) {
    const problem = serverProblem(status, status.server === required);
    if (problem) found.push(problem);
  }
  for (const { server, problem } of view.rowProblems())
    found.push({
      id: `row ${server}`,
      level: "error",
      kind: "row",
      server,
      reason: `its row cannot be used: ${problem}; the last good one is in use`,
      remedy: "correct the row",
      command: `indus mcp get ${shellWord(server)}`,
      action: { kind: "open", view: "rows", server },
    });
  for (const [server, count] of Object.entries(waiting))
    found.push({
      id: `change ${server}`,
      level: "warning",
      kind: "change",
      server,
      reason: `${count === 1 ? "a change waits" : `${count} changes wait`} for your approval`,
      remedy: "compare them, then approve or refuse",
      command: `indus mcp approve ${shellWord(server)}`,
      action: { kind: "open", view: "changes", server },
    });
  const rank = { error: 0, warning: 1, info: 2 };
  return found.toSorted((a, b) => rank[a.level] - rank[b.level]);
}

function serverProblem(status: EndpointStatus, isRequired: boolean): Problem | undefined {
  const report = serverReport(status);
  const { server, standing, isUsable, isOutdated, hasFailed, needsUser } = report;
  if (!hasFailed && !isOutdated) return undefined;
  return {
    id: `server ${server}`,
    level: isRequired || (!isUsable && !needsUser && standing !== "restarting") ? "error" : "warning",
    kind:
      standing === "needs_login"
        ? "login"
        : standing === "untrusted"
          ? "trust"
          : isRequired
            ? "required"
            : "server",
    server,
    reason: report.reason,
    remedy: report.remedy,
    command: report.command.map(shellWord).join(" "),
    action:
      standing === "needs_login"
        ? { kind: "login", server }
        : standing === "untrusted"
          ? { kind: "open", view: "server", server }
          : { kind: "restart", server },
  };
}

/** What the tools cost a client without a token at the main path. */
export function costOf({ view }: Pick<ConsoleSource, "view">): ToolCost {
  return costAt(view, undefined, { kind: "all" });
}

function costAt(view: ConsoleSource["view"], ...at: Parameters<ConsoleSource["view"]["seen"]>): ToolCost {
  const { mode, tools, tokens, listed, listedTokens, searchTokens } = view.seen(...at);
  return { mode, tools, tokens, listed, listedTokens, searchTokens };
}

/** When each caller of these calls called last. */
export function lastCalls(calls: readonly CallRecord[]): ReadonlyMap<string, string> {
  return new Map(calls.flatMap((call) => callersOf(call).map((caller) => [caller, call.at] as const)));
}

/** How a call names its caller: its session and, for a client without one, its name and its token. */
export function callersOf({ session, client, principal }: CallRecord): readonly string[] {
  return [session, callerName(client, principal)];
}

/**
 * The clients, with the time of their last call, see `lastCalls`. One without a connection counts while it has called within the
 * hour.
 */
export function clientsOf(
  { view }: Pick<ConsoleSource, "view">,
  lastSeen: ReadonlyMap<string, string>,
): readonly ConnectedClient[] {
  return view.clients().flatMap((each) => {
    const { client, era, route, sinceMs, isConnected, key } = each;
    const principal = each.principal === undefined ? undefined : tokenIn(each.principal).name;
    const claimed =
      client && (client.version === undefined ? client.name : `${client.name}/${client.version}`);
    const seen =
      lastSeen.get(key) ?? (isConnected ? undefined : lastSeen.get(callerName(claimed, principal)));
    if (!isConnected && seen === undefined && sinceMs < Date.now() - HOUR_MS) return [];
    return [
      {
        id: `${routePath(route)} ${key}`,
        name: client?.name ?? "unknown",
        version: client?.version,
        era,
        transport: view.stats() === undefined ? "stdio" : "http",
        route: routePath(route),
        principal,
        since: isoTime(sinceMs),
        lastSeen: seen,
        isConnected,
        cost: costAt(view, each.principal, route),
        servers: view.seen(each.principal, route).servers,
      },
    ];
  });
}

function callerName(client: string | undefined, principal: string | undefined): string {
  return JSON.stringify([client ?? "", principal ?? ""]);
}
